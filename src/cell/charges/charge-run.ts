/**
 * One gift's way through the wallet, off the lane: find what an earlier owner may have taken, price
 * it, debit it, judge the receipt. Every end is a Charge; none of them throws for what the wallet
 * does. Ended without certainty within its budget, a charge counts as not made: decide rejects the
 * gift, and the row that voids its key commits together with that rejection.
 */
import type { Charge, ChargeReceipt } from '../../domain/gift/charge.ts';
import type { CatalogueGift } from '../../ports/gift-catalogue.ts';
import type { DebitRequest, WalletReceipt } from '../../ports/wallet.ts';
import { debitKeyOf, giftPurpose, readGiftPurpose } from '../../protocol/debit.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever, retryPauseMs } from '../retry-forever.ts';
import type { Partition } from '../partition/partition.ts';
import { LuckyRun } from './lucky-run.ts';
import type { Offers } from './offers.ts';
import { isExpired, payerOf, type GiftItem } from './payment.ts';

/** See the file header. One object per gift. */
export class ChargeRun {
  private readonly context: CellContext;
  private readonly offers: Offers;
  private readonly partition: Partition;
  private readonly item: GiftItem;
  private readonly key: string;
  private readonly untilMonoMs: number;
  private readonly lucky: LuckyRun;

  constructor(context: CellContext, offers: Offers, partition: Partition, item: GiftItem) {
    const { appCode, roomId, commandId } = item.command;
    this.context = context;
    this.offers = offers;
    this.partition = partition;
    this.item = item;
    this.key = debitKeyOf(appCode, roomId, commandId);
    this.untilMonoMs = context.clock.monoMs() + context.options.chargeBudgetMs;
    const mayTryAgain = (tries: number): Promise<boolean> => this.mayTryAgain(tries);
    this.lucky = new LuckyRun({ context, item, debitKey: this.key, mayTryAgain });
  }

  /** Null: the partition was lost meanwhile, and the gift with it. */
  async run(): Promise<Charge | null> {
    if (this.item.payment.asked) {
      const earlier = await this.findEarlier();
      if (earlier !== 'absent' || !this.partition.active) return this.unlessLost(earlier);
      // Nothing was taken yet, and a call of the earlier owner may still be on its way: only a
      // rejection with a void ends that, now that the caller's time is over.
      if (isExpired(this.item, this.context.clock.wallMs())) return notCharged('EXPIRED');
    }
    const offer = await this.currentOffer();
    if (offer === null || !this.partition.active) return null;
    if (!offer.onSale) return { kind: 'notOffered' };
    const debit = (): Promise<Charge> => this.debit(offer);
    return this.unlessLost(offer.lucky ? await this.lucky.around(offer, debit) : await debit());
  }

  private unlessLost(end: Charge | 'absent'): Charge | null {
    return this.partition.active && end !== 'absent' ? end : null;
  }

  /** What stands under the key since an earlier try by a former owner. */
  private async findEarlier(): Promise<Charge | 'absent'> {
    const { wallet, options } = this.context;
    const { appCode } = this.item.command;
    for (let tries = 1; ; tries += 1) {
      const found = await wallet.find(this.key, appCode, options.walletTimeoutMs);
      if (found.kind === 'found') return this.judge(found.receipt);
      if (found.kind === 'voided') return notCharged('VOIDED');
      if (found.kind === 'absent') return 'absent';
      if (!(await this.mayTryAgain(tries))) return notCharged('WALLET_UNKNOWN');
    }
  }

  /** The gift as sold now; `onSale: false` also for one that the app never had. */
  private async currentOffer(): Promise<CatalogueGift | null> {
    const { appCode, body } = this.item.command;
    const offer = await this.read('read catalogue', () =>
      this.offers.current(appCode, body.giftId),
    );
    if (offer === undefined) return null;
    const { giftId } = body;
    return offer ?? { giftId, catalogueVersion: 0n, coinPrice: 0n, onSale: false, lucky: false };
  }

  private async debit(offer: CatalogueGift): Promise<Charge> {
    const { wallet, options, trace } = this.context;
    const request = this.requestFor(offer);
    // Set before the call: whoever looks at the item from here on knows that coins may be gone.
    this.item.payment.asked = true;
    for (let tries = 1; ; tries += 1) {
      trace.at('cell.before_debit');
      const outcome = await wallet.debit(request, options.walletTimeoutMs);
      trace.at('cell.after_debit_before_commit');
      switch (outcome.kind) {
        case 'debited':
          return this.judge(outcome.receipt);
        case 'insufficient':
          return { kind: 'insufficient' };
        case 'voided':
          return notCharged('VOIDED');
        case 'refused':
          this.context.log.error({ ...this.named(), cause: outcome.cause }, 'a debit was refused');
          return notCharged('WALLET_REFUSED');
        case 'unknown':
          this.context.metrics.count('cell_debits_unknown_total');
          if (!(await this.mayTryAgain(tries))) return notCharged('WALLET_UNKNOWN');
      }
    }
  }

  private requestFor(offer: CatalogueGift): DebitRequest {
    const { command } = this.item;
    const { appCode, actorUserId, body } = command;
    const each = offer.coinPrice * BigInt(body.giftCount);
    const payerUserId = payerOf(command, this.context.options);
    // Robots that another account pays for are no people: nobody earns anything by them.
    const earners = payerUserId === actorUserId ? body.targetUserIds : [];
    return {
      key: this.key,
      appCode,
      payerUserId,
      coins: each * BigInt(body.targetUserIds.length),
      purpose: giftPurpose(this.item.payloadHash, offer.catalogueVersion),
      payees: earners.map((userId) => ({ userId, coins: each })),
    };
  }

  /**
   * A receipt is honoured at its own catalogue version when payer, purpose and amount are those of
   * this command. Any other one is given back: nothing is applied under this key, so whoever was
   * charged under it gets the coins again (ADR 0009).
   */
  private async judge(receipt: WalletReceipt): Promise<Charge> {
    const { command, payloadHash } = this.item;
    const purpose = readGiftPurpose(receipt.purpose);
    const payerUserId = payerOf(command, this.context.options);
    if (receipt.payerUserId !== payerUserId) return this.conflict(receipt, 'FOREIGN_PAYER');
    const isOurs =
      purpose !== null &&
      purpose.payloadHashVersion === payloadHash.version &&
      purpose.payloadHashHex === Buffer.from(payloadHash.hash).toString('hex');
    if (!isOurs) return this.conflict(receipt, 'FOREIGN_PURPOSE');
    const { appCode, body } = command;
    const { catalogueVersion } = purpose;
    const gift = await this.read('read catalogue', () =>
      this.offers.version(appCode, body.giftId, catalogueVersion),
    );
    if (gift === undefined) return notCharged('LOST');
    if (gift === null) return this.conflict(receipt, 'UNKNOWN_CATALOGUE_VERSION');
    const gifts = BigInt(body.giftCount) * BigInt(body.targetUserIds.length);
    if (receipt.coins !== gift.coinPrice * gifts) return this.conflict(receipt, 'WRONG_AMOUNT');
    const paid = chargeReceipt(receipt, gift);
    if (!gift.lucky) return { kind: 'charged', receipt: paid, draws: [] };
    // Without its draws the gift is not what was bought: it is given back, and draws that were made
    // after all are worth nothing, because their debit is void.
    const draws = await this.lucky.draws(gift);
    if (draws === null) return notCharged('LUCKY_UNKNOWN');
    return { kind: 'charged', receipt: paid, draws };
  }

  private conflict(receipt: WalletReceipt, cause: string): Charge {
    this.context.metrics.count('cell_wallet_conflicts_total', { cause });
    this.context.log.error(
      { ...this.named(), cause, receipt },
      'the wallet holds a debit under this key that cannot be honoured; it is given back',
    );
    return notCharged(cause);
  }

  /** Undefined: the partition was lost meanwhile. */
  private async read<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
    const answer = await retryForever(
      this.context,
      what,
      () => this.partition.active,
      async () => ({ value: await run() }),
    );
    return answer?.value;
  }

  /** After an unknown answer: waits a little; false when the budget is over or the work not ours. */
  private async mayTryAgain(tries: number): Promise<boolean> {
    const pauseMs = retryPauseMs(this.context, tries);
    if (this.context.clock.monoMs() + pauseMs >= this.untilMonoMs) return false;
    await this.context.timers.sleep(pauseMs);
    return this.partition.active;
  }

  private named(): Readonly<Record<string, string>> {
    const { roomKey, command } = this.item;
    return { roomKey, commandId: command.commandId, debitKey: this.key };
  }
}

function notCharged(cause: string): Charge {
  return { kind: 'notCharged', cause };
}

function chargeReceipt(receipt: WalletReceipt, gift: CatalogueGift): ChargeReceipt {
  const { receiptId, balanceAfter, incomeBalanceAfter } = receipt;
  const { coinPrice: unitPrice, catalogueVersion } = gift;
  return { receiptId, unitPrice, catalogueVersion, balanceAfter, incomeBalanceAfter };
}
