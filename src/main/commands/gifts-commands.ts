/** `roomcell gifts set` and `roomcell gifts list`: what an app sells, and for how much. */
import { InvalidArgumentError, type Command } from 'commander';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { coinsMax } from '../../domain/gift/gift-limits.ts';
import type { AppCode, GiftId, UserId } from '../../domain/ids.ts';
import { assertDefined } from '../../kernel/assert.ts';
import type { CatalogueGift, GiftCatalogue } from '../../ports/gift-catalogue.ts';
import { onMysql } from './on-mysql.ts';
import { actHeadIn, idOf, mandatory, operatorOf } from './operator-options.ts';
import { printJsonOr, tableOf } from './print.ts';

/** Gifts that one query asks for. */
const giftsPerPage = 500;

/** Adds the group. */
export function addGiftsCommands(program: Command): void {
  const group = program.command('gifts').description('the gift catalogue of an app');
  group
    .command('set')
    .description('sell a gift at a price; the version before stays for debits that know it')
    .argument('<app>', 'app that sells it', idOf)
    .argument('<gift_id>', 'the gift', idOf)
    .requiredOption('--price <coins>', 'coins for one', coinsOf)
    .option('--off-sale', 'keep it known but sell it no more')
    .option('--lucky', 'a lucky gift: each one draws, and may win coins')
    .addOption(mandatory('--as <operator>', 'who sets it, for the audit').argParser(operatorOf))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ roomcell gifts set demo rose --price 10 --as kim')
    .action(
      async (
        app: string,
        giftId: string,
        options: {
          price: bigint;
          offSale?: boolean;
          lucky?: boolean;
          as: UserId;
          json?: boolean;
        },
        command: Command,
      ) => {
        const gift = {
          giftId: giftId as GiftId,
          coinPrice: options.price,
          onSale: options.offSale !== true,
          lucky: options.lucky === true,
        };
        const stored = await onMysql(command, 'gifts set', async (mysql) => {
          const head = actHeadIn(app as AppCode, options.as);
          const act = { ...head, type: 'SetGift', gift } as const;
          await mysql.operatorStore.carryOut(act, createSystemClock().wallMs());
          const made = await mysql.giftCatalogue.setBy(head.appCode, gift.giftId, head.commandId);
          return assertDefined(made, 'a version that was set is not there');
        });
        printJsonOr(options, stored, () => {
          const how = stored.onSale ? `costs ${stored.coinPrice} coins` : 'is not sold any more';
          return `${app} ${giftId} ${how} (version ${stored.catalogueVersion}).`;
        });
      },
    );
  group
    .command('list')
    .description('list the newest version of every gift of an app')
    .argument('<app>', 'app that sells them', idOf)
    .option('--json', 'print JSON')
    .action(async (app: string, options: { json?: boolean }, command: Command) => {
      const gifts = await onMysql(command, 'gifts list', ({ giftCatalogue }) =>
        allGifts(giftCatalogue, app as AppCode),
      );
      printJsonOr(options, gifts, () =>
        gifts.length === 0
          ? `${app} has no gift.`
          : tableOf([
              ['gift', 'version', 'coins', 'state', 'kind'],
              ...gifts.map((gift) => [
                gift.giftId,
                gift.catalogueVersion,
                gift.coinPrice,
                gift.onSale ? 'on sale' : 'off sale',
                gift.lucky ? 'lucky' : 'plain',
              ]),
            ]),
      );
    });
}

async function allGifts(
  catalogue: Pick<GiftCatalogue, 'list'>,
  appCode: AppCode,
): Promise<readonly CatalogueGift[]> {
  const gifts: CatalogueGift[] = [];
  for (;;) {
    const page = await catalogue.list(appCode, gifts.at(-1)?.giftId ?? '', giftsPerPage);
    gifts.push(...page);
    if (page.length < giftsPerPage) return gifts;
  }
}

/** Whole coins only: a price that was rounded would be charged for ever. */
function coinsOf(text: string): bigint {
  if (!/^[0-9]{1,19}$/.test(text)) throw new InvalidArgumentError('It is not a number of coins.');
  const coins = BigInt(text);
  if (coins < 1n || coins > coinsMax) {
    throw new InvalidArgumentError(`It must be from 1 to ${coinsMax}.`);
  }
  return coins;
}
