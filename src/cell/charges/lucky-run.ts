/**
 * What a lucky gift has beside its charge (LUCKY-1 … LUCKY-3): before the debit the check and the
 * sender's lock, behind it one draw per target and the payment of their prizes. Every step has a key
 * of the command, so that a second try, here or at a successor, draws and pays nothing anew.
 */
import type { Charge } from '../../domain/gift/charge.ts';
import type { DrawFact } from '../../domain/gift/lucky-draw.ts';
import type { CatalogueGift } from '../../ports/gift-catalogue.ts';
import type { Draw, LuckyGift } from '../../ports/lucky-gift-client.ts';
import type { PrizeReceipt, PrizeRequest } from '../../ports/wallet.ts';
import { drawKeyOf, prizeKeyOf } from '../../protocol/debit.ts';
import { luckyGiftLevel, schemaLevel } from '../../protocol/schema-levels.ts';
import type { CellContext } from '../cell-context.ts';
import { payerOf, type GiftItem } from './payment.ts';

/** What it is part of. */
export interface LuckyRunParts {
  readonly context: CellContext;
  readonly item: GiftItem;
  readonly debitKey: string;
  /** Waits a little; false when the gift's budget is over or its partition gone. */
  mayTryAgain(tries: number): Promise<boolean>;
}

/** Longest text of the service that a refusal repeats. */
const causeMax = 200;

/** See the file header. One object per gift. */
export class LuckyRun {
  private readonly parts: LuckyRunParts;

  constructor(parts: LuckyRunParts) {
    this.parts = parts;
  }

  /**
   * Runs `debit` between check and lock, or says why not. Nothing was asked of the wallet before, so
   * that a refusal costs nothing; only a gift for which a former owner may have asked ends in the log.
   */
  async around(offer: CatalogueGift, debit: () => Promise<Charge>): Promise<Charge> {
    const refusal = await this.refusal(offer);
    if (refusal !== null) return refusal;
    const { context, item } = this.parts;
    const { appCode, roomId, commandId, actorUserId } = item.command;
    const { luckyLocks, options } = context;
    const token = `${options.incarnation} ${roomId} ${commandId}`;
    const lock = await luckyLocks?.take(appCode, actorUserId, token, options.luckyGiftLockTtlMs);
    if (lock === 'busy') return this.notNow();
    // `away`: the lock is for order alone, and Redis never stands in the way of a gift (LUCKY-2).
    try {
      return await debit();
    } finally {
      if (lock === 'taken') await luckyLocks?.release(appCode, actorUserId, token);
    }
  }

  /** What the paid gift drew, with its prizes paid as far as the time goes; null: nobody can say. */
  async draws(gift: CatalogueGift): Promise<readonly DrawFact[] | null> {
    const { context, item, debitKey } = this.parts;
    const { luckyGifts, options } = context;
    if (luckyGifts === undefined) return null;
    const requests = item.command.body.targetUserIds.map((targetUserId, at) => {
      return { key: drawKeyOf(debitKey, at), targetUserId };
    });
    for (let tries = 1; ; tries += 1) {
      context.trace.at('cell.before_draw');
      const { luckyGiftTimeoutMs } = options;
      const outcome = await luckyGifts.draw(this.asked(gift), requests, luckyGiftTimeoutMs);
      if (outcome.kind === 'drawn') return this.payAll(outcome.draws);
      context.metrics.count('cell_draws_unknown_total');
      if (!(await this.parts.mayTryAgain(tries))) return null;
    }
  }

  private async refusal(offer: CatalogueGift): Promise<Charge | null> {
    const { context, item } = this.parts;
    const { luckyGifts, options } = context;
    // Below this level a former release may get to see an open prize, and would void its key.
    const level = context.enabledLevel?.() ?? schemaLevel;
    if (level < luckyGiftLevel) return { kind: 'luckyRefused', cause: 'NOT_YET_ENABLED' };
    if (luckyGifts === undefined) return { kind: 'luckyRefused', cause: 'NOT_CONFIGURED' };
    const { targetUserIds } = item.command.body;
    for (let tries = 1; ; tries += 1) {
      const gift = this.asked(offer);
      const outcome = await luckyGifts.check(gift, targetUserIds, options.luckyGiftTimeoutMs);
      if (outcome.kind === 'allowed') return null;
      if (outcome.kind === 'refused') {
        return { kind: 'luckyRefused', cause: outcome.cause.slice(0, causeMax) };
      }
      if (!(await this.parts.mayTryAgain(tries))) return this.notNow();
    }
  }

  /** The id stays free, unless somebody may have asked the wallet before (ADR 9). */
  private notNow(): Charge {
    return this.parts.item.payment.asked
      ? { kind: 'notCharged', cause: 'LUCKY_GIFT_BUSY' }
      : { kind: 'luckyBusy' };
  }

  private asked({ catalogueVersion, coinPrice: unitPrice }: CatalogueGift): LuckyGift {
    const { appCode, roomId, actorUserId: senderUserId, body } = this.parts.item.command;
    const { giftId, giftCount } = body;
    return { appCode, roomId, senderUserId, giftId, catalogueVersion, giftCount, unitPrice };
  }

  /** One after another, so that the last balance told is the newest. */
  private async payAll(draws: readonly Draw[]): Promise<readonly DrawFact[]> {
    const { clock, options, trace } = this.parts.context;
    const untilMonoMs = clock.monoMs() + options.prizeBudgetMs;
    const facts: DrawFact[] = [];
    for (const [at, draw] of draws.entries()) {
      trace.at('cell.after_draw_before_prize');
      const leftMs = untilMonoMs - clock.monoMs();
      facts.push(await this.paid(draw, at, Math.min(leftMs, options.walletTimeoutMs)));
    }
    trace.at('cell.after_prizes_before_commit');
    return facts;
  }

  /**
   * One try, for the room waits. Whatever is not certain is `pending`, and a row that commits together
   * with the gift asks the wallet on under the same key.
   */
  private async paid(draw: Draw, at: number, withinMs: number): Promise<DrawFact> {
    const { drawId, multiplierPercent, prizeCoins } = draw;
    const known = { drawId, multiplierPercent, prizeCoins };
    const untold = { prizeReceiptId: '', balanceAfter: null };
    if (prizeCoins === 0n) return { ...known, prize: 'none', ...untold };
    if (withinMs <= 0) return { ...known, prize: 'pending', ...untold };
    const { context, item, debitKey } = this.parts;
    const { appCode } = item.command;
    const winnerUserId = payerOf(item.command, context.options);
    const key = prizeKeyOf(debitKey, at);
    const request = { key, debitKey, appCode, winnerUserId, coins: prizeCoins, drawId };
    const outcome = await context.wallet.payPrize(request, withinMs);
    if (outcome.kind !== 'paid' || !isOwnPrize(request, outcome.receipt)) {
      context.metrics.count('cell_prizes_pending_total');
      return { ...known, prize: 'pending', ...untold };
    }
    const { receiptId: prizeReceiptId, balanceAfter } = outcome.receipt;
    return { ...known, prize: 'paid', prizeReceiptId, balanceAfter };
  }
}

/** Whether a receipt is about this prize; any other one is left to the settler, which cries out. */
export function isOwnPrize(
  request: Pick<PrizeRequest, 'winnerUserId' | 'coins'>,
  receipt: PrizeReceipt,
): boolean {
  return receipt.winnerUserId === request.winnerUserId && receipt.coins === request.coins;
}
