/** What the events about roles make of the room. */
import { assert } from '../../kernel/assert.ts';
import type { UserId } from '../ids.ts';
import type { RoomAdminChanged, RoomOwnerTransferred } from '../room/room-events.ts';
import type { RoomState } from '../room/state.ts';

/** RoomAdminChanged: the list stays sorted, so that one set of admins has one encoding. */
export function evolveAdminChanged(state: RoomState, event: RoomAdminChanged): RoomState {
  assert(state.ownerUserId !== event.userId, 'the owner was made an admin', { ...event });
  const others = withoutAdmin(state.admins, event.userId);
  return { ...state, admins: event.isAdmin ? [...others, event.userId].sort() : others };
}

/** RoomOwnerTransferred: the new owner is no admin beside it, the former one a member. */
export function evolveOwnerTransferred(state: RoomState, event: RoomOwnerTransferred): RoomState {
  assert(state.ownerUserId === event.fromUserId, 'a room was given away by somebody else');
  return {
    ...state,
    ownerUserId: event.toUserId,
    admins: withoutAdmin(state.admins, event.toUserId),
  };
}

/** The admins without one user; the same list when the user is none. */
export function withoutAdmin(admins: readonly UserId[], userId: UserId): readonly UserId[] {
  return admins.includes(userId) ? admins.filter((admin) => admin !== userId) : admins;
}
