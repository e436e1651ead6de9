/**
 * A room's state between the domain and the wire. The snapshot's bytes are canonical: one state has
 * one encoding, whatever its users' history, so the hash of the bytes is a hash of the state.
 */
import { emptyPersistentMap } from '../kernel/persistent-map.ts';
import type { PersistentMap } from '../kernel/persistent-map.ts';
import type { MicOccupancy, MicSeat, PresentUser, RoomState } from '../domain/room/state.ts';
import type { RoomCloseInfo } from '../domain/room/state.ts';
import { profileFromWire } from './command-mapping.ts';
import type { SnapshotRecord } from './records.ts';
import { WireFault } from './wire-fault.ts';
import { known } from './wire-shape.ts';
import type { Wire } from './wire-shape.ts';

/** The snapshot as the encoder takes it. Users are sorted by id, in the order of code units. */
export function snapshotToWire({ state }: SnapshotRecord): unknown {
  const users = [...state.users.values()].sort((left, right) =>
    left.userId < right.userId ? -1 : 1,
  );
  return { state: { ...state, users } };
}

/** The snapshot that a decoded value holds. Throws WireFault on a state this release cannot keep. */
export function snapshotFromWire(wire: unknown): SnapshotRecord {
  const { state } = wire as { readonly state: WireState };
  return {
    state: {
      appCode: state.appCode,
      roomId: state.roomId,
      status: known(state.status, 'status'),
      version: state.version,
      ownerUserId: state.ownerUserId,
      profile: {
        title: state.profile.title,
        coverUrl: state.profile.coverUrl,
        announcement: state.profile.announcement,
        backgroundUrl: state.profile.backgroundUrl,
        tags: state.profile.tags,
        ext: state.profile.ext,
      },
      mode: known(state.mode, 'mode'),
      visibleRegionId: state.visibleRegionId,
      passwordHash: state.passwordHash,
      passwordVersion: state.passwordVersion,
      seats: state.seats.map(seatFromWire),
      users: usersFromWire(state.users),
      createdAtMs: state.createdAtMs,
      lastEventAtMs: state.lastEventAtMs,
      closeInfo: state.closeInfo === null ? null : closeInfoFromWire(state.closeInfo),
    },
  };
}

/** A present user as plain data. */
export function userFromWire(user: Wire<PresentUser>): PresentUser {
  return {
    userId: user.userId,
    profile: profileFromWire(user.profile),
    isRobot: user.isRobot,
    joinedAtMs: user.joinedAtMs,
    joinedAtVersion: user.joinedAtVersion,
  };
}

type WireState = Wire<Omit<RoomState, 'users'>> & { readonly users: readonly Wire<PresentUser>[] };

function usersFromWire(list: readonly Wire<PresentUser>[]): PersistentMap<PresentUser> {
  let users = emptyPersistentMap<PresentUser>();
  for (const user of list) users = users.set(user.userId, userFromWire(user));
  if (users.size !== list.length) throw new WireFault('a user is in the room twice');
  return users;
}

function seatFromWire(seat: Wire<MicSeat>): MicSeat {
  const { seatNo, locked, muted, occupancy } = seat;
  const held = occupancy === null ? null : occupancyFromWire(occupancy);
  return { seatNo, locked, muted, occupancy: held };
}

function occupancyFromWire(held: Wire<MicOccupancy>): MicOccupancy {
  return {
    userId: held.userId,
    micSessionId: held.micSessionId,
    state: known(held.state, 'occupancy.state'),
    sessionRoomVersion: held.sessionRoomVersion,
    sessionStartedAtMs: held.sessionStartedAtMs,
    publishDeadlineMs: held.publishDeadlineMs,
    lastPublishEventTimeMs: held.lastPublishEventTimeMs,
  };
}

function closeInfoFromWire(info: Wire<RoomCloseInfo>): RoomCloseInfo {
  return {
    closedByUserId: info.closedByUserId,
    closedByKind: known(info.closedByKind, 'closeInfo.closedByKind'),
    reason: info.reason,
    note: info.note,
    closedAtMs: info.closedAtMs,
    finalOnlineCount: info.finalOnlineCount,
  };
}
