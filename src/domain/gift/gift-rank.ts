/**
 * Who gave most in a room (GIFT-6): the order of senders, and its first places kept from gift to
 * gift. Sums only grow, so a sender enters or moves up by its own gift alone, and whoever was pushed
 * out cannot come back without one. That makes the kept list equal to sorting everybody anew.
 */
import type { UserId } from '../ids.ts';
import type { GiftSender } from '../room/state.ts';
import { topGiftSendersMax } from './gift-limits.ts';

/** One place of the gift rank. */
export interface RankItem {
  readonly userId: UserId;
  readonly coins: bigint;
  /** From 1, without gaps and without shared places. */
  readonly rank: number;
}

/** Before zero: `left` stands higher. By coins, ties by earlier reach, then by user id (decision 13). */
export function compareGiftSenders(left: GiftSender, right: GiftSender): number {
  if (left.coins !== right.coins) return left.coins > right.coins ? -1 : 1;
  if (left.reachedAtVersion !== right.reachedAtVersion) {
    return left.reachedAtVersion < right.reachedAtVersion ? -1 : 1;
  }
  if (left.userId === right.userId) return 0;
  return left.userId < right.userId ? -1 : 1;
}

/** The first `topGiftSendersMax` of any senders, in order. For recovery and for the invariant. */
export function topOfGiftSenders(senders: Iterable<GiftSender>): readonly GiftSender[] {
  return [...senders].sort(compareGiftSenders).slice(0, topGiftSendersMax);
}

/** `top` after `sender`, whose sum has just grown, in the place of its former self if it had one. */
export function withGiftSender(
  top: readonly GiftSender[],
  sender: GiftSender,
): readonly GiftSender[] {
  const others = top.filter(({ userId }) => userId !== sender.userId);
  const found = others.findIndex((other) => compareGiftSenders(sender, other) < 0);
  const place = found === -1 ? others.length : found;
  return [...others.slice(0, place), sender, ...others.slice(place)].slice(0, topGiftSendersMax);
}

/** The first `count` places as answers and views show them. */
export function giftRank(top: readonly GiftSender[], count: number): readonly RankItem[] {
  return top
    .slice(0, count)
    .map(({ userId, coins }, index) => ({ userId, coins, rank: index + 1 }));
}
