/**
 * JoinRoom: a user becomes present, or a present user is refreshed (PRES-3, PRES-4, PRES-20). What the
 * gateway found out beforehand (password, platform ban) comes as facts; here they are judged.
 */
import { activeBan } from '../bans/ban-table.ts';
import { refuseByPassword } from '../password/refuse-by-password.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Decision, Rejected } from '../room/decision.ts';
import { nextEventPosition } from '../room/event-position.ts';
import type { RoomEvent } from '../room/events.ts';
import { applied, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import { joinedUser } from './evolve-presence.ts';
import type { JoinRoom } from './presence-commands.ts';
import type { RoomUserJoined } from './presence-events.ts';
import { refreshProfile } from './refresh-profile.ts';

/** Decides JoinRoom for an active room. The actor is the user who joins. */
export function decideJoinRoom(
  body: JoinRoom,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const userId = command.actorUserId;
  // 1. Robots only by a service (decision 31), nobody whom the platform has banned (decision 30);
  //    before 2, so that presence is no way around either.
  if (body.isRobot && command.actorRole !== 'service') return rejected('ROBOT_NOT_ALLOWED');
  if (body.isPlatformBanned) return rejected('USER_PLATFORM_BANNED', { user_id: userId });

  // 2. Present already: a reconnect. It needs neither room nor password, and it cannot turn a
  //    person into a robot or back: that is a fact of the stay.
  const present = state.users.get(userId);
  if (present !== undefined) return refreshProfile(present, body.profile);

  // 3. The room's ban, room for one more, the password. The ban comes first: a banned user is told
  //    nothing about the password (PRES-16).
  const refusal =
    refuseBanned(command, facts.nowMs, state) ??
    refuseWhenFull(facts, state) ??
    refuseByPassword(body, command, facts, state);
  if (refusal !== null) return refusal;

  const joined: RoomUserJoined = {
    type: 'RoomUserJoined',
    userId,
    profile: body.profile,
    isRobot: body.isRobot,
  };
  const user = joinedUser(joined, nextEventPosition(state, facts.nowMs));
  return applied([...endedBan(command, state), joined], { user });
}

function refuseBanned(command: RoomCommand, nowMs: number, state: RoomState): Rejected | null {
  const ban = activeBan(state, command.actorUserId, nowMs);
  if (ban === null) return null;
  return rejected('USER_BANNED', {
    user_id: ban.userId,
    reason: ban.reason,
    ...(ban.expiresAtMs === 0 ? {} : { expires_at_ms: String(ban.expiresAtMs) }),
  });
}

function refuseWhenFull(facts: DecideFacts, state: RoomState): Rejected | null {
  const { usersPerRoomMax } = facts.limits;
  if (state.users.size < usersPerRoomMax) return null;
  return rejected('ROOM_FULL', { users_max: String(usersPerRoomMax) });
}

/** A ban whose timer has not run yet ends here, so that nobody is present and banned at once. */
function endedBan({ actorUserId }: RoomCommand, state: RoomState): readonly RoomEvent[] {
  if (!state.bans.has(actorUserId)) return [];
  return [
    { type: 'RoomUserUnbanned', userId: actorUserId, byUserId: actorUserId, reason: 'expired' },
  ];
}
