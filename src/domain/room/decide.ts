/**
 * Command to decision: the only place where the rules of a room are judged. Pure: time, ids and
 * verdicts come in as facts, and a repeat with the same three arguments gives the same decision.
 * This file only dispatches; each command's rules stand in its own file.
 */
import { assert, assertNever } from '../../kernel/assert.ts';
import { decideEvictUser } from '../bans/evict-user.ts';
import { decideExpireBans } from '../bans/expire-bans.ts';
import { decideKickUser } from '../bans/kick-user.ts';
import { decideUnbanUser } from '../bans/unban-user.ts';
import { decideSendGift } from '../gift/send-gift.ts';
import { decideAnswerMicRequest } from '../mic/answer-mic-request.ts';
import { decideApplyRtcEvent } from '../mic/apply-rtc-event.ts';
import { decideChangeMicSeat } from '../mic/change-mic-seat.ts';
import { decideConfirmMicPublishing } from '../mic/confirm-mic-publishing.ts';
import { decideExpireMicHeartbeat } from '../mic/expire-mic-heartbeat.ts';
import { decideExpireMicPublish } from '../mic/expire-mic-publish.ts';
import { decideExpireMicRequests } from '../mic/expire-mic-requests.ts';
import { decideMicDown } from '../mic/mic-down.ts';
import { decideMicUp } from '../mic/mic-up.ts';
import { decideApplyForMic, decideInviteToMic } from '../mic/request-mic.ts';
import { decideSetMicSeatLock } from '../mic/set-mic-seat-lock.ts';
import { decideSetMicSeatMute } from '../mic/set-mic-seat-mute.ts';
import { decideNotePasswordAttempt } from '../password/password-attempts.ts';
import { decideSetRoomPassword } from '../password/set-room-password.ts';
import { decideJoinRoom } from '../presence/join-room.ts';
import { decideLeaveRoom } from '../presence/leave-room.ts';
import { decideSweepStaleUsers } from '../presence/sweep-stale-users.ts';
import { decideUpdateUser } from '../presence/update-user.ts';
import { decideLaunchRocket } from '../rocket/launch-rocket.ts';
import { decideSetAdmin } from '../roles/set-admin.ts';
import { decideTransferOwner } from '../roles/transfer-owner.ts';
import { decideCloseRoom, decideFinishClosing } from './close-room.ts';
import type { RoomCommand, SystemCommandBody } from './commands.ts';
import { decideCreateRoom } from './create-room.ts';
import type { DecideFacts, Decision, RoomLimits } from './decision.ts';
import { decideDeleteRoom } from './delete-room.ts';
import { rejected } from './outcomes.ts';
import { refuseByStatus, refuseForeignTimer } from './room-guards.ts';
import { decideSetRoomMode, decideSetVisibleRegion } from './set-room-choices.ts';
import { decideSetSeatCount } from './set-seat-count.ts';
import type { RoomState } from './state.ts';
import { decideUpdateRoomProfile } from './update-room-profile.ts';

/** Decides `command` on `state`. Throws only when an invariant of ours is broken. */
export function decide(command: RoomCommand, facts: DecideFacts, state: RoomState): Decision {
  // A command that reached another room's state is a routing fault; it must not write (INV-30).
  assert(
    command.appCode === state.appCode && command.roomId === state.roomId,
    'a command was put to another room',
    { app: command.appCode, room: command.roomId },
  );
  assert(facts.nowMs >= state.lastEventAtMs, 'the time of a decision runs backwards', {
    nowMs: facts.nowMs,
    lastEventAtMs: state.lastEventAtMs,
  });
  const refusal = refuseForeignTimer(command) ?? refuseByStatus(command.body.type, state.status);
  return refusal ?? withinLimits(decideByType(command, facts, state), facts.limits);
}

function decideByType(command: RoomCommand, facts: DecideFacts, state: RoomState): Decision {
  const { body } = command;
  switch (body.type) {
    case 'CreateRoom':
      return decideCreateRoom(body, command.actorUserId, facts.limits);
    case 'CloseRoom':
      return decideCloseRoom(body, command, facts, state);
    case 'DeleteRoom':
      return decideDeleteRoom(body, command, state);
    case 'UpdateRoomProfile':
      return decideUpdateRoomProfile(body, command, state);
    case 'SetSeatCount':
      return decideSetSeatCount(body, command, facts, state);
    case 'SetRoomPassword':
      return decideSetRoomPassword(body, command, state);
    case 'SetRoomMode':
      return decideSetRoomMode(body, command, state);
    case 'SetVisibleRegion':
      return decideSetVisibleRegion(body, command, state);
    case 'SetAdmin':
      return decideSetAdmin(body, command, state);
    case 'TransferOwner':
      return decideTransferOwner(body, command, state);
    case 'JoinRoom':
      return decideJoinRoom(body, command, facts, state);
    case 'UpdateUser':
      return decideUpdateUser(body, command.actorUserId, state);
    case 'LeaveRoom':
      return decideLeaveRoom(command.actorUserId, facts.nowMs, state);
    case 'KickUser':
      return decideKickUser(body, command, facts.nowMs, state);
    case 'UnbanUser':
      return decideUnbanUser(body, command, state);
    case 'EvictUser':
      return decideEvictUser(body, command, facts.nowMs, state);
    case 'MicUp':
      return decideMicUp(body, command, facts, state);
    case 'MicDown':
      return decideMicDown(body, command, facts.nowMs, state);
    case 'ChangeMicSeat':
      return decideChangeMicSeat(body, command.actorUserId, facts, state);
    case 'ConfirmMicPublishing':
      return decideConfirmMicPublishing(body, command.actorUserId, state);
    case 'SetMicSeatLock':
      return decideSetMicSeatLock(body, command, facts.nowMs, state);
    case 'SetMicSeatMute':
      return decideSetMicSeatMute(body, command, state);
    case 'InviteToMic':
      return decideInviteToMic(body, command, facts, state);
    case 'ApplyForMic':
      return decideApplyForMic(body, command, facts, state);
    case 'AnswerMicRequest':
      return decideAnswerMicRequest(body, command, facts, state);
    case 'ApplyRtcEvent':
      return decideApplyRtcEvent(body, command, facts, state);
    case 'SendGift':
      return decideSendGift(body, command, facts, state);
    default:
      return decideTimer(body, command, facts, state);
  }
}

/** Commands of the room's own owner node: questions, not orders, for a timer may come late or twice. */
function decideTimer(
  body: SystemCommandBody,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  switch (body.type) {
    case 'ExpireMicPublish':
      return decideExpireMicPublish(body, facts.nowMs, state);
    case 'ExpireMicHeartbeat':
      return decideExpireMicHeartbeat(body, facts, state);
    case 'ExpireMicRequests':
      return decideExpireMicRequests(command, facts.nowMs, state);
    case 'SweepStaleUsers':
      return decideSweepStaleUsers(body, facts, state);
    case 'ExpireBans':
      return decideExpireBans(command, facts.nowMs, state);
    case 'FinishClosing':
      return decideFinishClosing(facts.nowMs, state);
    case 'NotePasswordAttempt':
      return decideNotePasswordAttempt(body, facts, state);
    case 'LaunchRocket':
      return decideLaunchRocket(body, facts.nowMs, state);
    default:
      return assertNever(body, 'a command that this release does not know');
  }
}

/** Refuses a command whose events would not fit one commit, whole: a command is never split. */
function withinLimits(decision: Decision, limits: RoomLimits): Decision {
  if (decision.kind !== 'applied') return decision;
  assert(decision.events.length > 0, 'an applied command must make an event');
  if (decision.events.length <= limits.eventsPerCommandMax) return decision;
  return rejected('RESULT_TOO_LARGE', {
    events: String(decision.events.length),
    events_max: String(limits.eventsPerCommandMax),
  });
}
