/**
 * The lucky gift service as a cell uses it: asked before a debit whether the gift may be sent, and
 * after it what each target's gift draws (LUCKY-1, LUCKY-3).
 *
 * What the service must promise: one draw per key, for ever; a repeat of a key answers the first draw
 * whatever else it names. It moves no coins: prizes are paid by the wallet.
 */
import type { AppCode, GiftId, RoomId, UserId } from '../domain/ids.ts';
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** What is to be sent. */
export interface LuckyGift {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly senderUserId: UserId;
  readonly giftId: GiftId;
  readonly catalogueVersion: bigint;
  /** For each target. */
  readonly giftCount: number;
  /** Coins for one. */
  readonly unitPrice: bigint;
}

/** One draw that is asked for. */
export interface DrawRequest {
  /** 64 hex digits, the same on every try of one command for one target (`drawKeyOf`). */
  readonly key: string;
  readonly targetUserId: UserId;
}

/** What one gift drew. */
export interface Draw {
  readonly key: string;
  readonly drawId: string;
  /** Times a hundred of what was spent on the target; 0: no prize. */
  readonly multiplierPercent: number;
  /** Above 0 exactly when the multiplier is. */
  readonly prizeCoins: bigint;
}

/** Whether the gift may be sent. Nothing was done yet, whatever the answer. */
export type LuckyCheck =
  | { readonly kind: 'allowed' }
  /** Not for this app, region, user or amount. */
  | { readonly kind: 'refused'; readonly cause: string }
  | UnknownOutcome;

/** One draw per request, in the order of the requests; or nobody knows what was drawn. */
export type DrawOutcome =
  { readonly kind: 'drawn'; readonly draws: readonly Draw[] } | UnknownOutcome;

/** Every call ends within `timeoutMs`. Never throws; every doubt is `unknown`. */
export interface LuckyGiftClient {
  check(gift: LuckyGift, targetUserIds: readonly UserId[], timeoutMs: number): Promise<LuckyCheck>;
  draw(gift: LuckyGift, requests: readonly DrawRequest[], timeoutMs: number): Promise<DrawOutcome>;
  stop(): Promise<void>;
}
