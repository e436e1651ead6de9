/**
 * What the mic events make of the seats. Each asserts that the event speaks of the session that is
 * on the seat, the counterpart of the session checks in the mic commands (INV-27).
 */
import { assert } from '../../kernel/assert.ts';
import type { EventPosition } from '../room/decision.ts';
import type {
  RoomMicDown,
  RoomMicPublishing,
  RoomMicRequested,
  RoomMicRequestEnded,
  RoomMicRtcNoted,
  RoomMicSeatChanged,
  RoomMicSeatLocked,
  RoomMicSeatMuted,
  RoomMicSeatUnlocked,
  RoomMicUp,
} from './mic-events.ts';
import { findMicRequest, withoutMicRequest } from './mic-requests.ts';
import type { MicOccupancy, RoomState } from '../room/state.ts';
import { findSeatByNumber, withOccupancy, withSeat } from './seats.ts';

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
  return {
    ...state,
    seats: withOccupancy(state.seats, event.seatNo, occupancy),
    micRequests: withoutMicRequest(state.micRequests, event.userId),
  };
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

/** RoomMicRtcNoted (MIC-12): older RTC events of the session are old from here on. */
export function evolveMicRtcNoted(state: RoomState, event: RoomMicRtcNoted): RoomState {
  const held = sessionOnSeat(state, event);
  const lastPublishEventTimeMs = Math.max(held.lastPublishEventTimeMs, event.publishEventTimeMs);
  const occupancy = { ...held, lastPublishEventTimeMs };
  return { ...state, seats: withOccupancy(state.seats, event.seatNo, occupancy) };
}

/** RoomMicSeatChanged (MIC-9, MIC-10): the session moves and waits for a confirmation again. */
export function evolveMicSeatChanged(state: RoomState, event: RoomMicSeatChanged): RoomState {
  const held = sessionOnSeat(state, { ...event, seatNo: event.fromSeatNo });
  const target = findSeatByNumber(state.seats, event.toSeatNo);
  assert(target?.occupancy === null, 'a session moved to a seat that is not free (INV-26)');
  const occupancy: MicOccupancy = {
    ...held,
    state: 'pending_publish',
    publishDeadlineMs: event.publishDeadlineMs,
  };
  const freed = withOccupancy(state.seats, event.fromSeatNo, null);
  return { ...state, seats: withOccupancy(freed, event.toSeatNo, occupancy) };
}

/** RoomMicSeatLocked (MIC-3): nobody sits there any more. */
export function evolveMicSeatLocked(state: RoomState, event: RoomMicSeatLocked): RoomState {
  const seat = findSeatByNumber(state.seats, event.seatNo);
  assert(seat?.occupancy === null, 'a seat was locked under its holder (MIC-24)');
  return { ...state, seats: withSeat(state.seats, event.seatNo, { locked: true }) };
}

/** RoomMicSeatUnlocked (MIC-4). */
export function evolveMicSeatUnlocked(state: RoomState, event: RoomMicSeatUnlocked): RoomState {
  return { ...state, seats: withSeat(state.seats, event.seatNo, { locked: false }) };
}

/** RoomMicSeatMuted: the seat's voice, whoever sits there. */
export function evolveMicSeatMuted(state: RoomState, event: RoomMicSeatMuted): RoomState {
  return { ...state, seats: withSeat(state.seats, event.seatNo, { muted: event.muted }) };
}

/** RoomMicRequested: behind those who asked before. */
export function evolveMicRequested(
  state: RoomState,
  event: RoomMicRequested,
  position: EventPosition,
): RoomState {
  const { kind, userId, byUserId, seatNo, expiresAtMs } = event;
  assert(findMicRequest(state.micRequests, userId) === null, 'a user asked twice', { userId });
  const requestedAtMs = position.occurredAtMs;
  const request = { kind, userId, byUserId, seatNo, requestedAtMs, expiresAtMs };
  return { ...state, micRequests: [...state.micRequests, request] };
}

/** RoomMicRequestEnded: nothing waits for the user any more. */
export function evolveMicRequestEnded(state: RoomState, event: RoomMicRequestEnded): RoomState {
  const request = findMicRequest(state.micRequests, event.userId);
  assert(request?.kind === event.kind, 'a request ended that was not waiting', { ...event });
  return { ...state, micRequests: withoutMicRequest(state.micRequests, event.userId) };
}

function sessionOnSeat(
  state: RoomState,
  event: Pick<RoomMicDown, 'userId' | 'seatNo' | 'micSessionId'> & { readonly type: string },
): MicOccupancy {
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
