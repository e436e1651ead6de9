/**
 * Command to decision: the only place where the rules of a room are judged. Pure: time, ids and
 * verdicts come in as facts, and a repeat with the same three arguments gives the same decision.
 * This file only dispatches; each command's rules stand in its own file.
 */
import { assert, assertNever } from '../../kernel/assert.ts';
import { decideSendGift } from '../gift/send-gift.ts';
import { decideConfirmMicPublishing } from '../mic/confirm-mic-publishing.ts';
import { decideExpireMicPublish } from '../mic/expire-mic-publish.ts';
import { decideMicDown } from '../mic/mic-down.ts';
import { decideMicUp } from '../mic/mic-up.ts';
import { decideJoinRoom } from '../presence/join-room.ts';
import { decideLeaveRoom } from '../presence/leave-room.ts';
import { decideCloseRoom } from './close-room.ts';
import type { RoomCommand } from './commands.ts';
import { decideCreateRoom } from './create-room.ts';
import type { DecideFacts, Decision, RoomLimits } from './decision.ts';
import { rejected } from './outcomes.ts';
import { refuseByStatus } from './room-guards.ts';
import type { RoomState } from './state.ts';

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
  const refusal = refuseByStatus(command.body.type, state.status);
  return refusal ?? withinLimits(decideByType(command, facts, state), facts.limits);
}

function decideByType(command: RoomCommand, facts: DecideFacts, state: RoomState): Decision {
  const { body } = command;
  switch (body.type) {
    case 'CreateRoom':
      return decideCreateRoom(body, command.actorUserId, facts.limits);
    case 'CloseRoom':
      return decideCloseRoom(body, command, facts, state);
    case 'JoinRoom':
      return decideJoinRoom(body, command, facts, state);
    case 'LeaveRoom':
      return decideLeaveRoom(command.actorUserId, facts.nowMs, state);
    case 'MicUp':
      return decideMicUp(body, command, facts, state);
    case 'MicDown':
      return decideMicDown(body, command, facts.nowMs, state);
    case 'ConfirmMicPublishing':
      return decideConfirmMicPublishing(body, command.actorUserId, state);
    case 'SendGift':
      return decideSendGift(body, command, facts, state);
    case 'ExpireMicPublish':
      return decideExpireMicPublish(body, command, facts.nowMs, state);
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
