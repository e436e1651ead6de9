/**
 * A room's state between the domain and the wire. The snapshot's bytes are canonical: one state has
 * one encoding, whatever its users' history, so the hash of the bytes is a hash of the state. What is
 * made from other parts (the first places of the gift rank) is not written but made anew.
 */
import { emptyPersistentMap } from '../kernel/persistent-map.ts';
import type { UserId } from '../domain/ids.ts';
import type { PersistentMap } from '../kernel/persistent-map.ts';
import { topOfGiftSenders } from '../domain/gift/gift-rank.ts';
import type {
  GiftSender,
  MicOccupancy,
  MicSeat,
  PresentUser,
  RoomState,
} from '../domain/room/state.ts';
import type { RoomCloseInfo } from '../domain/room/state.ts';
import { profileFromWire } from './command-mapping.ts';
import type { SnapshotRecord } from './records.ts';
import { WireFault } from './wire-fault.ts';
import { known } from './wire-shape.ts';
import type { Wire } from './wire-shape.ts';

/** The snapshot as the encoder takes it. Lists are sorted by user id, in the order of code units. */
export function snapshotToWire({ state }: SnapshotRecord): unknown {
  const users = sortedByUser(state.users);
  const giftSenders = sortedByUser(state.giftSenders);
  return { state: { ...state, users, giftSenders } };
}

/** The snapshot that a decoded value holds. Throws WireFault on a state this release cannot keep. */
export function snapshotFromWire(wire: unknown): SnapshotRecord {
  const { state } = wire as { readonly state: WireState };
  const giftSenders = giftSendersFromWire(state.giftSenders);
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
      heat: state.heat,
      giftSenders,
      topGiftSenders: topOfGiftSenders(giftSenders.values()),
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

type WireState = Wire<Omit<RoomState, 'users' | 'giftSenders' | 'topGiftSenders'>> & {
  readonly users: readonly Wire<PresentUser>[];
  readonly giftSenders: readonly Wire<GiftSender>[];
};

function sortedByUser<Item extends { readonly userId: UserId }>(
  items: PersistentMap<Item>,
): readonly Item[] {
  return [...items.values()].sort((left, right) => (left.userId < right.userId ? -1 : 1));
}

function usersFromWire(list: readonly Wire<PresentUser>[]): PersistentMap<PresentUser> {
  let users = emptyPersistentMap<PresentUser>();
  for (const user of list) users = users.set(user.userId, userFromWire(user));
  if (users.size !== list.length) throw new WireFault('a user is in the room twice');
  return users;
}

function giftSendersFromWire(list: readonly Wire<GiftSender>[]): PersistentMap<GiftSender> {
  let senders = emptyPersistentMap<GiftSender>();
  for (const { userId, coins, reachedAtVersion } of list) {
    senders = senders.set(userId, { userId, coins, reachedAtVersion });
  }
  if (senders.size !== list.length) throw new WireFault('a gift sender is named twice');
  return senders;
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
    finalHeat: info.finalHeat,
  };
}
