/**
 * MicUp: a present user takes a seat in the business sense (MIC-5, MIC-16). The client must confirm
 * RTC publishing with the session that is answered here before the deadline (MIC-17, MIC-18).
 */
import type { MicUp, RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Decision, Rejected, ResultFields } from '../room/decision.ts';
import type { RoomMicUp } from '../room/events.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import { actsAsManager, refuseUnlessPresent } from '../room/room-guards.ts';
import type { MicSeat, RoomState } from '../room/state.ts';
import { findFirstFreeSeat, findSeatByNumber, findSeatByUser } from './seats.ts';
import type { HeldSeat } from './seats.ts';

/** `MicUp.seatNo` of a caller who takes whichever seat is free. */
export const anySeatNo = 0;

/** Decides MicUp for an active room. The actor is the user who sits down. */
export function decideMicUp(
  body: MicUp,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // 1. In the room.
  const absent = refuseUnlessPresent(state, command.actorUserId);
  if (absent !== null) return absent;

  // 2. Seated already. Before the rules of 3 and 4, which are about sitting down: a client that
  //    lost the answer repeats with a new id and must get the session it holds (MIC-22).
  const held = findSeatByUser(state.seats, command.actorUserId);
  if (held !== null) return whenSeated(body, held);

  // 3. In mode `apply` people are let up, and only a manager sits down by itself (META-1).
  if (state.mode === 'apply' && !actsAsManager(command, state)) {
    return rejected('MIC_BY_INVITATION');
  }

  // 4. The seat.
  const seat = chooseSeat(body.seatNo, state);
  if ('kind' in seat) return seat;
  const up: RoomMicUp = {
    type: 'RoomMicUp',
    userId: command.actorUserId,
    seatNo: seat.seatNo,
    micSessionId: facts.micSessionId,
    publishDeadlineMs: facts.nowMs + facts.micPublishTimeoutMs,
  };
  return applied([up], {
    seatNo: up.seatNo,
    micSessionId: up.micSessionId,
    publishDeadlineMs: up.publishDeadlineMs,
  });
}

/** Any seat, or the one held: nothing changes. Another one: that is what ChangeMicSeat is for. */
function whenSeated(body: MicUp, held: HeldSeat): Decision {
  const { seatNo } = held.seat;
  if (body.seatNo !== anySeatNo && body.seatNo !== seatNo) {
    return rejected('ALREADY_ON_SEAT', { seat_no: String(seatNo) });
  }
  const result: ResultFields = {
    seatNo,
    micSessionId: held.occupancy.micSessionId,
    publishDeadlineMs: held.occupancy.publishDeadlineMs,
  };
  return noEffect(result);
}

function chooseSeat(seatNo: number, state: RoomState): MicSeat | Rejected {
  if (seatNo === anySeatNo) return findFirstFreeSeat(state.seats) ?? rejected('NO_FREE_SEAT');
  const facts = { seat_no: String(seatNo) };
  const seat = findSeatByNumber(state.seats, seatNo);
  if (seat === null) return rejected('SEAT_NOT_FOUND', facts);
  if (seat.locked) return rejected('SEAT_LOCKED', facts);
  if (seat.occupancy === null) return seat;
  return rejected('SEAT_TAKEN', { ...facts, holder: seat.occupancy.userId });
}
