/**
 * What the events of a room's life make of its state: creation and closing.
 */
import { assert } from '../../kernel/assert.ts';
import { emptyPersistentMap } from '../../kernel/persistent-map.ts';
import { emptySeats } from '../mic/seats.ts';
import type { EventPosition } from './decision.ts';
import type { RoomClosed, RoomCreated } from './events.ts';
import type { PresentUser, RoomState } from './state.ts';

/**
 * The password version of a new room, with or without a password. Not 0, so that a verdict of
 * somebody who has never looked at the room (version 0) is stale and never taken for a true one.
 */
const firstPasswordVersion = 1n;

/** RoomCreated (ROOM-3): active at once, nobody present, seats 1..n open (decision 28). */
export function evolveRoomCreated(
  state: RoomState,
  event: RoomCreated,
  position: EventPosition,
): RoomState {
  assert(state.status === 'absent', 'a room was created twice', { status: state.status });
  return {
    ...state,
    status: 'active',
    ownerUserId: event.ownerUserId,
    profile: {
      title: event.title,
      coverUrl: event.coverUrl,
      announcement: '',
      backgroundUrl: event.backgroundUrl,
      tags: event.tags,
      ext: event.ext,
    },
    mode: event.mode,
    visibleRegionId: event.visibleRegionId,
    passwordHash: event.passwordHash,
    passwordVersion: firstPasswordVersion,
    seats: emptySeats(event.seatCount),
    createdAtMs: position.occurredAtMs,
  };
}

/**
 * RoomClosed (ROOM-6, ROOM-13): everybody leaves with it. Seats keep numbers, locks and mutes
 * (MIC-15); whoever sat was taken down by events of the same command before this one.
 */
export function evolveRoomClosed(
  state: RoomState,
  event: RoomClosed,
  position: EventPosition,
): RoomState {
  return {
    ...state,
    status: 'closed',
    users: emptyPersistentMap<PresentUser>(),
    closeInfo: {
      closedByUserId: event.closedByUserId,
      closedByKind: event.closedByKind,
      reason: event.reason,
      note: event.note,
      closedAtMs: position.occurredAtMs,
      finalOnlineCount: event.finalOnlineCount,
      finalHeat: event.finalHeat,
    },
  };
}
