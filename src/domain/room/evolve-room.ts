/**
 * What the events about the room itself make of its state: its life, and what its managers choose.
 */
import { assert } from '../../kernel/assert.ts';
import { emptyPersistentMap } from '../../kernel/persistent-map.ts';
import { emptySeats, withSeatCount } from '../mic/seats.ts';
import type { EventPosition } from './decision.ts';
import { tombstoneState } from './initial-state.ts';
import type {
  RoomClosed,
  RoomClosing,
  RoomCreated,
  RoomModeChanged,
  RoomProfileUpdated,
  RoomSeatCountChanged,
  RoomVisibleRegionChanged,
} from './room-events.ts';
import type { PasswordAttempts, PresentUser, RoomBan, RoomState } from './state.ts';

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
    robotCount: 0,
    micRequests: [],
    // Nobody comes in any more: neither bans nor counted passwords have a use, and no timer runs.
    bans: emptyPersistentMap<RoomBan>(),
    temporaryBans: [],
    passwordAttempts: emptyPersistentMap<PasswordAttempts>(),
    // A round ends with its room, launched or not: nobody is left to see it fly (ROCKET-8).
    rocket: null,
    closing: null,
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

/** RoomClosing (ROOM-4): no business commands from here on; who is in the room stays until the end. */
export function evolveRoomClosing(state: RoomState, event: RoomClosing): RoomState {
  const { closedByUserId, closedByKind, reason, note, closesAtMs } = event;
  const closing = { closedByUserId, closedByKind, reason, note, closesAtMs };
  return { ...state, status: 'closing', closing };
}

/** RoomDeleted (ROOM-18): of the room only its name, its owner and its times are left. */
export function evolveRoomDeleted(state: RoomState): RoomState {
  assert(state.status === 'closed', 'a room was deleted that is not closed', {
    status: state.status,
  });
  return tombstoneState(state);
}

/** RoomProfileUpdated (META-4): the profile as the event holds it, whole. */
export function evolveProfileUpdated(state: RoomState, event: RoomProfileUpdated): RoomState {
  return { ...state, profile: event.profile };
}

/** RoomSeatCountChanged (META-3): the seats that fall away were freed before. */
export function evolveSeatCountChanged(state: RoomState, event: RoomSeatCountChanged): RoomState {
  const isFree = state.seats.slice(event.seatCount).every(({ occupancy }) => occupancy === null);
  assert(isFree, 'a seat was taken away under its holder (META-3)');
  return { ...state, seats: withSeatCount(state.seats, event.seatCount) };
}

/** RoomModeChanged (META-1): in mode `free` nobody applies, so applications end with it. */
export function evolveModeChanged(state: RoomState, event: RoomModeChanged): RoomState {
  const micRequests =
    event.mode === 'free'
      ? state.micRequests.filter(({ kind }) => kind !== 'apply')
      : state.micRequests;
  return { ...state, mode: event.mode, micRequests };
}

/** RoomVisibleRegionChanged (META-2). */
export function evolveVisibleRegionChanged(
  state: RoomState,
  event: RoomVisibleRegionChanged,
): RoomState {
  return { ...state, visibleRegionId: event.visibleRegionId };
}
