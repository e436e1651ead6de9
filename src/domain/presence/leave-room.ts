/** LeaveRoom: presence ends and a held seat with it, in one commit (PRES-5, PRES-14). */
import type { UserId } from '../ids.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import { leaveEvents } from './leave-events.ts';

/** Decides LeaveRoom for an active room. */
export function decideLeaveRoom(userId: UserId, nowMs: number, state: RoomState): Decision {
  const events = leaveEvents(userId, 'left', 'left_room', nowMs, state);
  // Leaving while absent is the goal reached, and not an error (bug kind "stranded seat").
  return events.length === 0 ? noEffect() : applied(events);
}
