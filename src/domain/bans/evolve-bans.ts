/** What the events about bans make of the room. */
import { assert } from '../../kernel/assert.ts';
import type { RoomUserKicked, RoomUserUnbanned } from '../presence/presence-events.ts';
import { withoutAdmin } from '../roles/evolve-roles.ts';
import type { EventPosition } from '../room/decision.ts';
import type { RoomState } from '../room/state.ts';
import { withBan, withoutBan } from './ban-table.ts';

/** RoomUserKicked: the ban stands, and an admin's rights end with it. */
export function evolveUserKicked(
  state: RoomState,
  event: RoomUserKicked,
  position: EventPosition,
): RoomState {
  const { userId, byUserId, reason, expiresAtMs } = event;
  assert(!state.users.has(userId), 'a user was banned while present (PRES-16)', { userId });
  const ban = { userId, byUserId, reason, bannedAtMs: position.occurredAtMs, expiresAtMs };
  return withBan({ ...state, admins: withoutAdmin(state.admins, userId) }, ban);
}

/** RoomUserUnbanned: the ban is gone, whatever ended it. */
export function evolveUserUnbanned(state: RoomState, event: RoomUserUnbanned): RoomState {
  assert(state.bans.has(event.userId), 'a user without a ban was unbanned');
  return withoutBan(state, event.userId);
}
