/**
 * JoinRoom: a user becomes present, or a present user is refreshed (PRES-3, PRES-4, PRES-20). The
 * password was compared by the gateway, which is slow on purpose; what arrives is its verdict for
 * one version of the password, and this file judges whether the verdict still counts.
 */
import type { JoinRoom, RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Decision, Rejected, RetryLater } from '../room/decision.ts';
import { nextEventPosition } from '../room/event-position.ts';
import type { RoomUserJoined, RoomUserUpdated } from '../room/events.ts';
import { applied, factStale, noEffect, rejected } from '../room/outcomes.ts';
import type { PresentUser, RoomState, UserProfile } from '../room/state.ts';
import { joinedUser } from './evolve-presence.ts';

/** Decides JoinRoom for an active room. The actor is the user who joins. */
export function decideJoinRoom(
  body: JoinRoom,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // 1. Robots only by a service (decision 31); before 2, so that presence is no way around it.
  if (body.isRobot && command.actorRole !== 'service') return rejected('ROBOT_NOT_ALLOWED');

  // 2. Present already: a reconnect. It needs neither room nor password, and it cannot turn a
  //    person into a robot or back: that is a fact of the stay.
  const present = state.users.get(command.actorUserId);
  if (present !== undefined) return refresh(present, body.profile);

  // 3. Room for one more.
  const refusal = refuseWhenFull(facts, state) ?? refuseByPassword(body, command, state);
  if (refusal !== null) return refusal;

  const joined: RoomUserJoined = {
    type: 'RoomUserJoined',
    userId: command.actorUserId,
    profile: body.profile,
    isRobot: body.isRobot,
  };
  const user = joinedUser(joined, nextEventPosition(state, facts.nowMs));
  return applied([joined], { user });
}

/** No second RoomUserJoined and no version step unless something others see has changed. */
function refresh(present: PresentUser, profile: UserProfile): Decision {
  if (isSameProfile(present.profile, profile)) return noEffect({ user: present });
  const updated: RoomUserUpdated = { type: 'RoomUserUpdated', userId: present.userId, profile };
  return applied([updated], { user: { ...present, profile } });
}

function isSameProfile(left: UserProfile, right: UserProfile): boolean {
  return (
    left.nickname === right.nickname &&
    left.avatarUrl === right.avatarUrl &&
    left.countryCode === right.countryCode &&
    left.ext === right.ext
  );
}

function refuseWhenFull(facts: DecideFacts, state: RoomState): Rejected | null {
  const { usersPerRoomMax } = facts.limits;
  if (state.users.size < usersPerRoomMax) return null;
  return rejected('ROOM_FULL', { users_max: String(usersPerRoomMax) });
}

/**
 * The password rule (PWD-2, decision 23). Race: the password changes while a join is on its way.
 *   1. The gateway compares the given password with the hash of version 1: match.
 *   2. The owner sets a new password; the room is at password version 2.
 *   3. The join arrives. Its verdict is about a password that no longer opens the room.
 * Line [A] closes it for every verdict, `none_given` too: a gateway that saw an open room had
 * nothing to compare a given password with, and a final no would be wrong. The id stays free and
 * the gateway asks again. Test: "a verdict for an older password is stale, whatever it says".
 */
function refuseByPassword(
  body: JoinRoom,
  command: RoomCommand,
  state: RoomState,
): Rejected | RetryLater | null {
  if (state.passwordHash === '' || isPasswordExempt(body, command, state)) return null;
  const { passwordVersion, verdict } = body.password;
  if (passwordVersion !== state.passwordVersion) {
    return factStale({ password_version: String(state.passwordVersion) }); // [A]
  }
  return verdict === 'match' ? null : rejected('WRONG_PASSWORD', { verdict });
}

/** The owner, and robots of a service (step 1 has checked the role). */
function isPasswordExempt(body: JoinRoom, command: RoomCommand, state: RoomState): boolean {
  return body.isRobot || command.actorUserId === state.ownerUserId;
}
