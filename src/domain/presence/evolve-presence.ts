/**
 * What the events of presence make of the room's users. The set of users is the online count; no
 * number is kept beside it (INV-29), but that of the robots in it.
 */
import { assert, assertDefined } from '../../kernel/assert.ts';
import type { UserId } from '../ids.ts';
import { withoutMicRequest } from '../mic/mic-requests.ts';
import type { EventPosition } from '../room/decision.ts';
import type {
  RoomUserJoined,
  RoomUserLeft,
  RoomUsersStaleLeft,
  RoomUserUpdated,
} from './presence-events.ts';
import type { PresentUser, RoomState } from '../room/state.ts';

/** RoomUserJoined (PRES-3, PRES-9): a new stay begins. */
export function evolveUserJoined(
  state: RoomState,
  event: RoomUserJoined,
  position: EventPosition,
): RoomState {
  assert(!state.users.has(event.userId), 'a present user joined again (PRES-20)');
  assert(!state.bans.has(event.userId), 'a banned user joined (PRES-16)');
  return {
    ...state,
    users: state.users.set(event.userId, joinedUser(event, position)),
    robotCount: state.robotCount + (event.isRobot ? 1 : 0),
    passwordAttempts: state.passwordAttempts.remove(event.userId),
  };
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
  return withoutUser(state, event.userId);
}

/** RoomUsersStaleLeft (PRES-6): the stays of all of them end. */
export function evolveUsersStaleLeft(state: RoomState, event: RoomUsersStaleLeft): RoomState {
  return event.userIds.reduce(withoutUser, state);
}

/** A stay ends, and with it what the user had asked for at the mic. */
function withoutUser(state: RoomState, userId: UserId): RoomState {
  const user = assertDefined(state.users.get(userId), 'an absent user left');
  return {
    ...state,
    users: state.users.remove(userId),
    robotCount: state.robotCount - (user.isRobot ? 1 : 0),
    micRequests: withoutMicRequest(state.micRequests, userId),
  };
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
