/**
 * What a gift makes of the room's heat and of its senders' sums (GIFT-6). SendGift answers from the
 * same function, so that the answer and the state cannot differ.
 */
import { assert } from '../../kernel/assert.ts';
import type { EventPosition } from '../room/decision.ts';
import { withOnePlace } from '../room/full-table.ts';
import type { RoomGiftSent } from './gift-events.ts';
import type { GiftSender, RoomState } from '../room/state.ts';
import { coinsMax, giftSendersMax } from './gift-limits.ts';
import { compareGiftSenders, withGiftSender } from './gift-rank.ts';

/**
 * RoomGiftSent: heat and the sender's sum grow by its coins; a new sender may push out the last. A gift
 * that counts nowhere leaves the room as it is.
 */
export function evolveGiftSent(
  state: RoomState,
  event: RoomGiftSent,
  position: EventPosition,
): RoomState {
  const { senderUserId, coins } = event;
  if (event.isUncounted) return state;
  const heat = state.heat + coins;
  assert(coins > 0n, 'a gift without coins', { sender: senderUserId, coins });
  assert(heat <= coinsMax, 'a gift beyond the heat that a room can hold', { heat });
  const before = state.giftSenders.get(senderUserId);
  const sender: GiftSender = {
    userId: senderUserId,
    coins: (before?.coins ?? 0n) + coins,
    reachedAtVersion: position.version,
  };
  // The last of so many never stands among the first, so the kept top is not touched.
  const others =
    before === undefined
      ? withOnePlace(state.giftSenders, giftSendersMax, lastInRankFirst)
      : state.giftSenders;
  return {
    ...state,
    heat,
    giftSenders: others.set(senderUserId, sender),
    topGiftSenders: withGiftSender(state.topGiftSenders, sender),
  };
}

function lastInRankFirst(left: GiftSender, right: GiftSender): number {
  return compareGiftSenders(right, left);
}
