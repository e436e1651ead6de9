/**
 * ApplyForMic and InviteToMic: a wish that waits for its answer, in a bounded list (MIC beyond the
 * seeds; META-1). A seat may be named; whether it is free is judged when the wish is accepted, since
 * much may happen until then.
 */
import type { UserId } from '../ids.ts';
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Decision, Rejected } from '../room/decision.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import { refuseUnlessPresent } from '../room/room-guards.ts';
import { micRequestsMax } from '../room/room-limits.ts';
import type { MicRequestKind, RoomState } from '../room/state.ts';
import type { ApplyForMic, InviteToMic } from './mic-commands.ts';
import type { RoomMicRequested } from './mic-events.ts';
import { findMicRequest } from './mic-requests.ts';
import { anySeatNo, findSeatByNumber, findSeatByUser } from './seats.ts';

/** Decides ApplyForMic for an active room. The actor is the applicant. */
export function decideApplyForMic(
  body: ApplyForMic,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // In mode `free` everybody sits down without asking.
  if (state.mode === 'free') return rejected('MIC_IS_FREE');
  return request('apply', command.actorUserId, body.seatNo, command, facts, state);
}

/** Decides InviteToMic for an active room, in either mode. */
export function decideInviteToMic(
  body: InviteToMic,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessManager(command, state);
  return refusal ?? request('invite', body.userId, body.seatNo, command, facts, state);
}

function request(
  kind: MicRequestKind,
  userId: UserId,
  seatNo: number,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const refusal =
    refuseUnlessPresent(state, userId) ?? refuseSeated(userId, state) ?? refuseSeat(seatNo, state);
  if (refusal !== null) return refusal;

  // A wish that waits already: the same one is a success, the other one wants its answer.
  const waiting = findMicRequest(state.micRequests, userId);
  if (waiting !== null) {
    return waiting.kind === kind
      ? noEffect({ seatNo: waiting.seatNo })
      : rejected('MIC_REQUEST_PENDING', { kind: waiting.kind });
  }
  if (state.micRequests.length >= micRequestsMax) {
    return rejected('MIC_QUEUE_FULL', { requests_max: String(micRequestsMax) });
  }
  const requested: RoomMicRequested = {
    type: 'RoomMicRequested',
    kind,
    userId,
    byUserId: command.actorUserId,
    seatNo,
    expiresAtMs: facts.nowMs + facts.times.micRequestTimeoutMs,
  };
  return applied([requested], { seatNo });
}

function refuseSeated(userId: UserId, state: RoomState): Rejected | null {
  const held = findSeatByUser(state.seats, userId);
  if (held === null) return null;
  return rejected('ALREADY_ON_SEAT', { seat_no: String(held.seat.seatNo) });
}

function refuseSeat(seatNo: number, state: RoomState): Rejected | null {
  if (seatNo === anySeatNo || findSeatByNumber(state.seats, seatNo) !== null) return null;
  return rejected('SEAT_NOT_FOUND', { seat_no: String(seatNo) });
}
