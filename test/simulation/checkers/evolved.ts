/**
 * Events to rooms, the checkers' way: what an event says is made, and nothing is judged, so that a
 * history with a fault in it can be followed up to its end. The checkers look at what lies before
 * and after each event.
 */
import type { LoggedEvent, MicFields, RoomModel, SeatModel } from './room-model.ts';

/** The room after one event of the command that made `version` at `atMs`. */
export function evolved(
  room: RoomModel,
  event: LoggedEvent,
  version: bigint,
  atMs: bigint,
): RoomModel {
  return { ...changed(room, event, version, atMs), version, lastEventAtMs: atMs };
}

function changed(room: RoomModel, event: LoggedEvent, version: bigint, atMs: bigint): RoomModel {
  switch (event.type) {
    case 'RoomCreated':
      return created(room, event, atMs);
    case 'RoomUserJoined': {
      const { userId, profile, isRobot } = event;
      const user = { userId, profile, isRobot, joinedAtMs: atMs, joinedAtVersion: version };
      return { ...room, users: new Map(room.users).set(userId, user) };
    }
    case 'RoomUserUpdated': {
      const user = room.users.get(event.userId);
      if (user === undefined) return room;
      const users = new Map(room.users).set(event.userId, { ...user, profile: event.profile });
      return { ...room, users };
    }
    case 'RoomUserLeft': {
      const users = new Map(room.users);
      users.delete(event.userId);
      return { ...room, users };
    }
    case 'RoomMicUp':
    case 'RoomMicPublishing':
    case 'RoomMicDown':
      return { ...room, seats: room.seats.map((seat) => seated(seat, event, version, atMs)) };
    case 'RoomClosed': {
      const { type: _, ...said } = event;
      const closeInfo = { ...said, closedAtMs: atMs };
      return { ...room, status: 'closed', users: new Map(), closeInfo };
    }
    case 'RoomGiftSent': {
      const { senderUserId: userId } = event;
      const coins = (room.giftSenders.get(userId)?.coins ?? 0n) + event.coins;
      const sender = { userId, coins, reachedAtVersion: version };
      const giftSenders = new Map(room.giftSenders).set(userId, sender);
      return { ...room, heat: room.heat + event.coins, giftSenders };
    }
  }
}

function created(
  room: RoomModel,
  event: Extract<LoggedEvent, { type: 'RoomCreated' }>,
  atMs: bigint,
): RoomModel {
  const { title, coverUrl, backgroundUrl, tags, ext, ownerUserId, mode, visibleRegionId } = event;
  const numbers = Array.from({ length: event.seatCount }, (_, at) => at + 1);
  return {
    ...room,
    status: 'active',
    ownerUserId,
    profile: { title, coverUrl, announcement: '', backgroundUrl, tags, ext },
    mode,
    visibleRegionId,
    passwordHash: event.passwordHash,
    passwordVersion: 1n,
    seats: numbers.map((seatNo) => ({ seatNo, locked: false, muted: false, occupancy: null })),
    createdAtMs: atMs,
  };
}

function seated(
  seat: SeatModel,
  event: Extract<LoggedEvent, MicFields>,
  version: bigint,
  atMs: bigint,
): SeatModel {
  if (seat.seatNo !== event.seatNo) return seat;
  if (event.type === 'RoomMicDown') return { ...seat, occupancy: null };
  if (event.type === 'RoomMicPublishing') {
    if (seat.occupancy === null) return seat;
    const { lastPublishEventTimeMs: last } = seat.occupancy;
    const { publishEventTimeMs: heard } = event;
    const lastPublishEventTimeMs = last > heard ? last : heard;
    const told = { state: 'publishing', publishDeadlineMs: 0n, lastPublishEventTimeMs } as const;
    return { ...seat, occupancy: { ...seat.occupancy, ...told } };
  }
  const { userId, micSessionId, publishDeadlineMs } = event;
  const occupancy = {
    userId,
    micSessionId,
    state: 'pending_publish',
    sessionRoomVersion: version,
    sessionStartedAtMs: atMs,
    publishDeadlineMs,
    lastPublishEventTimeMs: 0n,
  } as const;
  return { ...seat, occupancy };
}
