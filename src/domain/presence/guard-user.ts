/**
 * The guard (ROOM-20): may this user hold access to the room's IM group and RTC room now? Asked by
 * whoever gives such access; the platform's bans are not the room's to know and are judged beside it.
 */
import { activeBan } from '../bans/ban-table.ts';
import type { UserId } from '../ids.ts';
import type { RejectReason } from '../reasons.ts';
import type { RoomState } from '../room/state.ts';

/** Why the guard says no. */
export type GuardRefusal = Extract<
  RejectReason,
  'ROOM_NOT_FOUND' | 'ROOM_CLOSED' | 'USER_BANNED' | 'USER_NOT_PRESENT'
>;

/**
 * Null: yes. The room's end is told before anything about the user (ROOM-11), and a ban before
 * absence, which it explains.
 */
export function guardUser(state: RoomState, userId: UserId, nowMs: number): GuardRefusal | null {
  if (state.status === 'absent') return 'ROOM_NOT_FOUND';
  if (state.status !== 'active') return 'ROOM_CLOSED';
  if (activeBan(state, userId, nowMs) !== null) return 'USER_BANNED';
  return state.users.has(userId) ? null : 'USER_NOT_PRESENT';
}
