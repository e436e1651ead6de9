/**
 * What a lucky gift draws (LUCKY-3, LUCKY-4): one draw per target, made by the lucky gift service
 * between debit and decide, and a fact like the charge that it hangs on.
 */
import type { GiftId, UserId } from '../ids.ts';

/**
 * How far the prize of a draw has come. `none`: there is no prize. `pending`: the wallet has not said
 * that it is paid; a row stored together with the gift asks it until it does.
 */
export type PrizeState = 'none' | 'paid' | 'pending';

/** One draw, as the fact of its target keeps it. */
export interface LuckyDraw {
  /** The service's own id of the draw. */
  readonly drawId: string;
  /** Times a hundred of what was spent on the target: 250 is two and a half times; 0: no prize. */
  readonly multiplierPercent: number;
  /** Coins that the sender wins; 0: no prize. */
  readonly prizeCoins: bigint;
  readonly prize: PrizeState;
}

/** A draw as it comes to `decide`: with what only the sender may know. */
export interface DrawFact extends LuckyDraw {
  /** The wallet's receipt when `paid`, else ''. */
  readonly prizeReceiptId: string;
  /** The sender's coins after the prize, where the wallet said. */
  readonly balanceAfter: bigint | null;
}

/** A draw as the sender is answered it (RES-14, RES-15). */
export interface LuckyDrawResult extends DrawFact {
  readonly targetUserId: UserId;
  readonly giftId: GiftId;
  readonly giftCount: number;
}
