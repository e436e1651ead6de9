/**
 * What the mic events make of the seats. Each asserts that the event speaks of the session that is
 * on the seat, the counterpart of the session checks in the mic commands (INV-27).
 */
import { assert } from '../../kernel/assert.ts';
import type { EventPosition } from '../room/decision.ts';
import type { RoomMicDown, RoomMicPublishing, RoomMicUp } from '../room/events.ts';
import type { MicOccupancy, RoomState } from '../room/state.ts';
import { findSeatByNumber, withOccupancy } from './seats.ts';

/** RoomMicUp (MIC-5): a session begins, its publishing not yet confirmed. */
export function evolveMicUp(
  state: RoomState,
  event: RoomMicUp,
  position: EventPosition,
): RoomState {
  const before = findSeatByNumber(state.seats, event.seatNo)?.occupancy ?? null;
  assert(before === null, 'a seat was taken twice (INV-26)', { seatNo: event.seatNo });
  const occupancy: MicOccupancy = {
    userId: event.userId,
    micSessionId: event.micSessionId,
    state: 'pending_publish',
    sessionRoomVersion: position.version,
    sessionStartedAtMs: position.occurredAtMs,
    publishDeadlineMs: event.publishDeadlineMs,
    lastPublishEventTimeMs: 0,
  };
  return { ...state, seats: withOccupancy(state.seats, event.seatNo, occupancy) };
}

/** RoomMicPublishing (MIC-6): the session publishes and has no deadline any more. */
export function evolveMicPublishing(state: RoomState, event: RoomMicPublishing): RoomState {
  const held = sessionOnSeat(state, event);
  const occupancy: MicOccupancy = {
    ...held,
    state: 'publishing',
    publishDeadlineMs: 0,
    // A client's confirmation carries 0 and must not forget the RTC time seen before (MIC-12).
    lastPublishEventTimeMs: Math.max(held.lastPublishEventTimeMs, event.publishEventTimeMs),
  };
  return { ...state, seats: withOccupancy(state.seats, event.seatNo, occupancy) };
}

/** RoomMicDown (MIC-7, MIC-8): the session ends; the seat keeps its number, lock and mute. */
export function evolveMicDown(state: RoomState, event: RoomMicDown): RoomState {
  sessionOnSeat(state, event);
  return { ...state, seats: withOccupancy(state.seats, event.seatNo, null) };
}

function sessionOnSeat(state: RoomState, event: RoomMicPublishing | RoomMicDown): MicOccupancy {
  const occupancy = findSeatByNumber(state.seats, event.seatNo)?.occupancy ?? null;
  assert(
    occupancy !== null &&
      occupancy.userId === event.userId &&
      occupancy.micSessionId === event.micSessionId,
    'a mic event speaks of a session that is not on the seat (INV-27)',
    { type: event.type, seatNo: event.seatNo, session: event.micSessionId },
  );
  return occupancy;
}
