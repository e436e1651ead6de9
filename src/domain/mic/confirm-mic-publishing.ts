/**
 * ConfirmMicPublishing: the client says that RTC publishing of its session has begun (MIC-6). From
 * here on the seat has no deadline.
 */
import type { UserId } from '../ids.ts';
import type { ConfirmMicPublishing } from './mic-commands.ts';
import type { Decision, ResultFields } from '../room/decision.ts';
import type { RoomMicPublishing } from './mic-events.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import { findSeatByUser } from './seats.ts';

/** `RoomMicPublishing.publishEventTimeMs` of a confirmation that is not an RTC event. */
const noRtcEventTimeMs = 0;

/**
 * Decides ConfirmMicPublishing for an active room. A confirmation that comes after the deadline and
 * before the timeout task counts: the order in the room's queue decides, and the task then finds
 * the seat publishing and does nothing (MIC-28).
 */
export function decideConfirmMicPublishing(
  body: ConfirmMicPublishing,
  userId: UserId,
  state: RoomState,
): Decision {
  const held = findSeatByUser(state.seats, userId);
  if (held === null) return rejected('NOT_ON_SEAT', { user_id: userId });

  const { seatNo } = held.seat;
  // Race (MIC-11, TST-8): the confirmation of session 1 is late, the user sits with session 2 whose
  // publishing nobody has confirmed. Test: "late words about session 1 leave session 2 untouched".
  if (held.occupancy.micSessionId !== body.micSessionId) {
    return rejected('MIC_SESSION_STALE', { seat_no: String(seatNo) });
  }

  const result: ResultFields = { seatNo, micSessionId: body.micSessionId };
  if (held.occupancy.state === 'publishing') return noEffect(result);
  const publishing: RoomMicPublishing = {
    type: 'RoomMicPublishing',
    userId,
    seatNo,
    micSessionId: body.micSessionId,
    publishEventTimeMs: noRtcEventTimeMs,
  };
  return applied([publishing], result);
}
