/**
 * ChangeMicSeat: to another seat with the same session and a new deadline (MIC-9, MIC-10, MIC-25). RTC
 * goes on publishing and tells of no new start, so the client confirms again (decision 7).
 */
import type { UserId } from '../ids.ts';
import type { DecideFacts, Decision } from '../room/decision.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { ChangeMicSeat } from './mic-commands.ts';
import type { RoomMicSeatChanged } from './mic-events.ts';
import { chooseSeat } from './seat-user.ts';
import { findSeatByUser } from './seats.ts';

/**
 * Decides ChangeMicSeat for an active room. Also in mode `apply`: who was let up may move. A seat that
 * cannot be taken refuses the move and leaves the old one as it is.
 */
export function decideChangeMicSeat(
  body: ChangeMicSeat,
  userId: UserId,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const held = findSeatByUser(state.seats, userId);
  if (held === null) return rejected('NOT_ON_SEAT', { user_id: userId });
  const { micSessionId, publishDeadlineMs } = held.occupancy;
  if (held.seat.seatNo === body.toSeatNo) {
    return noEffect({ seatNo: body.toSeatNo, micSessionId, publishDeadlineMs });
  }
  const seat = chooseSeat(body.toSeatNo, state);
  if ('kind' in seat) return seat;
  const changed: RoomMicSeatChanged = {
    type: 'RoomMicSeatChanged',
    userId,
    fromSeatNo: held.seat.seatNo,
    toSeatNo: seat.seatNo,
    micSessionId,
    publishDeadlineMs: facts.nowMs + facts.times.micPublishTimeoutMs,
  };
  return applied([changed], {
    seatNo: changed.toSeatNo,
    micSessionId,
    publishDeadlineMs: changed.publishDeadlineMs,
  });
}
