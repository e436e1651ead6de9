/**
 * What a gift makes of the room's heat and of its senders' sums (GIFT-6). SendGift answers from the
 * same function, so that the answer and the state cannot differ.
 */
import { assert, assertDefined } from '../../kernel/assert.ts';
import type { PersistentMap } from '../../kernel/persistent-map.ts';
import type { EventPosition } from '../room/decision.ts';
import type { RoomGiftSent } from './gift-events.ts';
import type { GiftSender, RoomState } from '../room/state.ts';
import { coinsMax, giftSendersMax } from './gift-limits.ts';
import { compareGiftSenders, withGiftSender } from './gift-rank.ts';

/** RoomGiftSent: heat and the sender's sum grow by its coins; a new sender may push out the last. */
export function evolveGiftSent(
  state: RoomState,
  event: RoomGiftSent,
  position: EventPosition,
): RoomState {
  const { senderUserId, coins } = event;
  const heat = state.heat + coins;
  assert(coins > 0n, 'a gift without coins', { sender: senderUserId, coins });
  assert(heat <= coinsMax, 'a gift beyond the heat that a room can hold', { heat });
  const before = state.giftSenders.get(senderUserId);
  const sender: GiftSender = {
    userId: senderUserId,
    coins: (before?.coins ?? 0n) + coins,
    reachedAtVersion: position.version,
  };
  const others = before === undefined ? withOnePlace(state.giftSenders) : state.giftSenders;
  return {
    ...state,
    heat,
    giftSenders: others.set(senderUserId, sender),
    topGiftSenders: withGiftSender(state.topGiftSenders, sender),
  };
}

/**
 * The senders without the last in rank if the table is full. A walk over the table, paid only by the
 * first gift of a user in a room that has had `giftSendersMax` others. The last of so many never
 * stands among the first, so the kept top is not touched.
 */
function withOnePlace(senders: PersistentMap<GiftSender>): PersistentMap<GiftSender> {
  if (senders.size < giftSendersMax) return senders;
  let last: GiftSender | null = null;
  for (const sender of senders.values()) {
    if (last === null || compareGiftSenders(last, sender) < 0) last = sender;
  }
  return senders.remove(assertDefined(last, 'a full table holds a sender').userId);
}
