/**
 * LeaveRoom: presence ends and a held seat with it, in one commit (PRES-5, PRES-14), so that no
 * state is ever seen in which an absent user sits on a seat (INV-26).
 */
import type { UserId } from '../ids.ts';
import { micDownOf } from '../mic/mic-down-event.ts';
import { findSeatByUser } from '../mic/seats.ts';
import type { Decision } from '../room/decision.ts';
import type { RoomUserLeft } from '../room/events.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';

/** Decides LeaveRoom for an active room: the seat first, then the leave. */
export function decideLeaveRoom(userId: UserId, nowMs: number, state: RoomState): Decision {
  // Leaving while absent is the goal reached, and not an error (bug kind "stranded seat").
  if (!state.users.has(userId)) return noEffect();

  const left: RoomUserLeft = { type: 'RoomUserLeft', userId, reason: 'left' };
  const held = findSeatByUser(state.seats, userId);
  if (held === null) return applied([left]);
  return applied([micDownOf(held, 'left_room', nowMs), left]);
}
