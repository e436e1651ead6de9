/**
 * The one way a seat's release becomes an event, whatever the reason: so that every release carries
 * its session and its time on the seat (MIC-29).
 */
import type { MicDownReason, RoomMicDown } from './mic-events.ts';
import type { HeldSeat } from './seats.ts';

/**
 * RoomMicDown for a held seat at `nowMs`. The time on the seat runs from the session's start and
 * is never below 0, because `nowMs` is never earlier than the room's last event. Heartbeats have
 * no part in it (MIC-19).
 */
export function micDownOf(held: HeldSeat, reason: MicDownReason, nowMs: number): RoomMicDown {
  return {
    type: 'RoomMicDown',
    userId: held.occupancy.userId,
    seatNo: held.seat.seatNo,
    micSessionId: held.occupancy.micSessionId,
    reason,
    onMicMs: nowMs - held.occupancy.sessionStartedAtMs,
  };
}
