/** The seats of a room after an event; see `evolved.ts`. */
import type { HolderEvent, LoggedOf } from './logged-event.ts';
import type { OccupancyModel, RoomModel, SeatModel } from './room-model.ts';

/** Open, unmuted seats with the numbers `from` to `to`; none when `from` is above. */
export function freeSeats(from: number, to: number): readonly SeatModel[] {
  const count = Math.max(0, to - from + 1);
  const numbers = Array.from({ length: count }, (_, at) => from + at);
  return numbers.map((seatNo) => ({ seatNo, locked: false, muted: false, occupancy: null }));
}

/** The room after an event about who holds a seat. Who sat down asks for the mic no more. */
export function seated(
  room: RoomModel,
  event: HolderEvent,
  version: bigint,
  atMs: bigint,
): RoomModel {
  const holder = (seat: SeatModel): OccupancyModel | null => {
    if (event.type === 'RoomMicDown') return null;
    return event.type === 'RoomMicUp' ? sessionOf(event, version, atMs) : heard(seat, event);
  };
  const changed = withSeat(room, event.seatNo, (seat) => ({ ...seat, occupancy: holder(seat) }));
  if (event.type !== 'RoomMicUp') return changed;
  const micRequests = room.micRequests.filter(({ userId }) => userId !== event.userId);
  return { ...changed, micRequests };
}

/** The room after a session went from one seat to another. */
export function movedSession(room: RoomModel, event: LoggedOf<'RoomMicSeatChanged'>): RoomModel {
  const held = room.seats.find(({ seatNo }) => seatNo === event.fromSeatNo)?.occupancy ?? null;
  const { publishDeadlineMs } = event;
  const moved = held === null ? null : ({ ...held, state: 'pending_publish' } as const);
  const freed = withSeat(room, event.fromSeatNo, (seat) => ({ ...seat, occupancy: null }));
  return withSeat(freed, event.toSeatNo, (seat) => ({
    ...seat,
    occupancy: moved === null ? null : { ...moved, publishDeadlineMs },
  }));
}

/** The room with a seat locked or open. */
export function lockedSeat(room: RoomModel, seatNo: number, locked: boolean): RoomModel {
  return withSeat(room, seatNo, (seat) => ({ ...seat, locked }));
}

/** The room with a seat muted or not. */
export function mutedSeat(room: RoomModel, seatNo: number, muted: boolean): RoomModel {
  return withSeat(room, seatNo, (seat) => ({ ...seat, muted }));
}

function sessionOf(
  event: LoggedOf<'RoomMicUp'>,
  sessionRoomVersion: bigint,
  sessionStartedAtMs: bigint,
): OccupancyModel {
  const { userId, micSessionId, publishDeadlineMs } = event;
  const times = { sessionRoomVersion, sessionStartedAtMs, publishDeadlineMs };
  return { userId, micSessionId, state: 'pending_publish', ...times, lastPublishEventTimeMs: 0n };
}

function heard(
  { occupancy }: SeatModel,
  event: LoggedOf<'RoomMicPublishing' | 'RoomMicRtcNoted'>,
): OccupancyModel | null {
  if (occupancy === null) return null;
  const { lastPublishEventTimeMs: last } = occupancy;
  const { publishEventTimeMs: told } = event;
  const known = { ...occupancy, lastPublishEventTimeMs: last > told ? last : told };
  if (event.type === 'RoomMicRtcNoted') return known;
  return { ...known, state: 'publishing', publishDeadlineMs: 0n };
}

function withSeat(
  room: RoomModel,
  seatNo: number,
  change: (seat: SeatModel) => SeatModel,
): RoomModel {
  return {
    ...room,
    seats: room.seats.map((seat) => (seat.seatNo === seatNo ? change(seat) : seat)),
  };
}
