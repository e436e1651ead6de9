/**
 * ExpireMicHeartbeat: a session that used to send mic heartbeats sends none any more, and its RTC
 * events may be lost; the seat is freed (decision 27). A session that never sent one is left alone.
 */
import { isMicStale } from '../presence/staleness.ts';
import type { DecideFacts, Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { ExpireMicHeartbeat } from './mic-commands.ts';
import { micDownOf } from './mic-down-event.ts';
import { findSeatByNumber } from './seats.ts';

/** Decides ExpireMicHeartbeat for every room that exists: seat, session and silence must still hold. */
export function decideExpireMicHeartbeat(
  body: ExpireMicHeartbeat,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const seat = findSeatByNumber(state.seats, body.seatNo);
  const occupancy = seat?.occupancy ?? null;
  if (seat === null || occupancy?.micSessionId !== body.micSessionId) return noEffect();
  if (!isMicStale(body.micSessionId, facts.heartbeats)) return noEffect();
  const down = micDownOf({ seat, occupancy }, 'mic_stale', facts.nowMs);
  return applied([down], { seatNo: down.seatNo, micSessionId: down.micSessionId });
}
