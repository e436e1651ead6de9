/**
 * What the events of presence make of the room's users. The set of users is the online count; no
 * number is kept beside it (INV-29).
 */
import { assert, assertDefined } from '../../kernel/assert.ts';
import type { EventPosition } from '../room/decision.ts';
import type { RoomUserJoined, RoomUserLeft, RoomUserUpdated } from '../room/events.ts';
import type { PresentUser, RoomState } from '../room/state.ts';

/** RoomUserJoined (PRES-3, PRES-9): a new stay begins. */
export function evolveUserJoined(
  state: RoomState,
  event: RoomUserJoined,
  position: EventPosition,
): RoomState {
  assert(!state.users.has(event.userId), 'a present user joined again (PRES-20)');
  return { ...state, users: state.users.set(event.userId, joinedUser(event, position)) };
}

/** RoomUserUpdated: the same stay with a new profile. */
export function evolveUserUpdated(state: RoomState, event: RoomUserUpdated): RoomState {
  const user = assertDefined(state.users.get(event.userId), 'an absent user was updated');
  return {
    ...state,
    users: state.users.set(event.userId, { ...user, profile: event.profile }),
  };
}

/** RoomUserLeft (PRES-5): the stay ends; a seat was freed by the event before it (PRES-14). */
export function evolveUserLeft(state: RoomState, event: RoomUserLeft): RoomState {
  assert(state.users.has(event.userId), 'an absent user left');
  return { ...state, users: state.users.remove(event.userId) };
}

/**
 * The user that a join makes. JoinRoom answers the same value (RES-4), so that the answer and the
 * state cannot differ.
 */
export function joinedUser(event: RoomUserJoined, position: EventPosition): PresentUser {
  return {
    userId: event.userId,
    profile: event.profile,
    isRobot: event.isRobot,
    joinedAtMs: position.occurredAtMs,
    joinedAtVersion: position.version,
  };
}
