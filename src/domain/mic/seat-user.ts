/**
 * How a user comes onto a seat, by MicUp or by an accepted request: which seat, and the session that
 * begins there (MIC-5, MIC-17).
 */
import type { UserId } from '../ids.ts';
import type { DecideFacts, Decision, Rejected } from '../room/decision.ts';
import { applied, rejected } from '../room/outcomes.ts';
import type { MicSeat, RoomState } from '../room/state.ts';
import type { RoomMicUp } from './mic-events.ts';
import { anySeatNo, findFirstFreeSeat, findSeatByNumber } from './seats.ts';

/** The free seat that is meant, or why there is none. */
export function chooseSeat(seatNo: number, state: RoomState): MicSeat | Rejected {
  if (seatNo === anySeatNo) return findFirstFreeSeat(state.seats) ?? rejected('NO_FREE_SEAT');
  const facts = { seat_no: String(seatNo) };
  const seat = findSeatByNumber(state.seats, seatNo);
  if (seat === null) return rejected('SEAT_NOT_FOUND', facts);
  if (seat.locked) return rejected('SEAT_LOCKED', facts);
  if (seat.occupancy === null) return seat;
  return rejected('SEAT_TAKEN', { ...facts, holder: seat.occupancy.userId });
}

/** Seats a present user who sits nowhere on a free seat: a session begins. */
export function seatUser(userId: UserId, seat: MicSeat, facts: DecideFacts): Decision {
  const up: RoomMicUp = {
    type: 'RoomMicUp',
    userId,
    seatNo: seat.seatNo,
    micSessionId: facts.micSessionId,
    publishDeadlineMs: facts.nowMs + facts.times.micPublishTimeoutMs,
  };
  return applied([up], {
    seatNo: up.seatNo,
    micSessionId: up.micSessionId,
    publishDeadlineMs: up.publishDeadlineMs,
  });
}
