/** What happened about gifts. */
import type { GiftId, UserId } from '../ids.ts';
import type { LuckyDraw } from './lucky-draw.ts';

/** A paid gift reached one of its targets; a command makes one per target, in order (GIFT-6). */
export interface RoomGiftSent {
  readonly type: 'RoomGiftSent';
  readonly senderUserId: UserId;
  readonly targetUserId: UserId;
  readonly giftId: GiftId;
  readonly giftCount: number;
  /** For this target: unit price × count. */
  readonly coins: bigint;
  readonly unitPrice: bigint;
  /** The catalogue version of the price (decision 13). */
  readonly catalogueVersion: bigint;
  /** The command's own, or ''. */
  readonly comboId: string;
  /** One receipt pays for all targets of a command. */
  readonly billingReceiptId: string;
  /** What this target's gift drew; null: the gift is not a lucky one. */
  readonly luckyDraw: LuckyDraw | null;
  /** The sender was a robot whose gifts count for no heat, rank, sum or week (ROBOT-5). */
  readonly isUncounted: boolean;
}
