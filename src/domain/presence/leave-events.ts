/**
 * The one way in which a user's presence ends: the seat first, then the leave, in one commit, so that
 * no state is ever seen in which an absent user sits on a seat (PRES-14, PRES-18, INV-26).
 */
import type { UserId } from '../ids.ts';
import { micDownOf } from '../mic/mic-down-event.ts';
import type { MicDownReason } from '../mic/mic-events.ts';
import { findSeatByUser } from '../mic/seats.ts';
import type { RoomEvent } from '../room/events.ts';
import type { RoomState } from '../room/state.ts';
import type { LeaveReason, RoomUserLeft } from './presence-events.ts';

/** The events that take `userId` out of the room; none for a user who is not present. */
export function leaveEvents(
  userId: UserId,
  reason: LeaveReason,
  seatReason: MicDownReason,
  nowMs: number,
  state: RoomState,
): readonly RoomEvent[] {
  if (!state.users.has(userId)) return [];
  const left: RoomUserLeft = { type: 'RoomUserLeft', userId, reason };
  const held = findSeatByUser(state.seats, userId);
  return held === null ? [left] : [micDownOf(held, seatReason, nowMs), left];
}
