/**
 * A room's state between the domain and the wire. The snapshot's bytes are canonical: one state has
 * one encoding, whatever its users' history, so the hash of the bytes is a hash of the state. What is
 * made from other parts (the first places of the gift rank) is not written but made anew.
 */
import { emptyPersistentMap } from '../kernel/persistent-map.ts';
import type { UserId } from '../domain/ids.ts';
import type { PersistentMap } from '../kernel/persistent-map.ts';
import { temporaryBansOf } from '../domain/bans/ban-table.ts';
import { topOfGiftSenders } from '../domain/gift/gift-rank.ts';
import type {
  GiftSender,
  MicOccupancy,
  MicRequest,
  MicSeat,
  PasswordAttempts,
  PresentUser,
  RoomBan,
  RoomCloseInfo,
  RoomClosingInfo,
  RoomState,
} from '../domain/room/state.ts';
import { profileFromWire, roomProfileFromWire } from './command-mapping.ts';
import type { SnapshotRecord } from './records.ts';
import { rocketFromWire } from './rocket-mapping.ts';
import { WireFault } from './wire-fault.ts';
import { known } from './wire-shape.ts';
import type { Wire } from './wire-shape.ts';

/** The snapshot as the encoder takes it. Lists are sorted by user id, in the order of code units. */
export function snapshotToWire({ state }: SnapshotRecord): unknown {
  const users = sortedByUser(state.users);
  const giftSenders = sortedByUser(state.giftSenders);
  const bans = sortedByUser(state.bans);
  const passwordAttempts = sortedByUser(state.passwordAttempts);
  return { state: { ...state, users, giftSenders, bans, passwordAttempts } };
}

/** The snapshot that a decoded value holds. Throws WireFault on a state this release cannot keep. */
export function snapshotFromWire(wire: unknown): SnapshotRecord {
  const { state } = wire as { readonly state: WireState };
  const giftSenders = giftSendersFromWire(state.giftSenders);
  const bans = bansFromWire(state.bans);
  return {
    state: {
      appCode: state.appCode,
      roomId: state.roomId,
      status: known(state.status, 'status'),
      version: state.version,
      ownerUserId: state.ownerUserId,
      profile: roomProfileFromWire(state.profile),
      mode: known(state.mode, 'mode'),
      visibleRegionId: state.visibleRegionId,
      passwordHash: state.passwordHash,
      passwordVersion: state.passwordVersion,
      seats: state.seats.map(seatFromWire),
      micRequests: state.micRequests.map(micRequestFromWire),
      admins: state.admins,
      bans,
      temporaryBans: temporaryBansOf(bans),
      passwordAttempts: attemptsFromWire(state.passwordAttempts),
      users: usersFromWire(state.users),
      robotCount: state.users.filter(({ isRobot }) => isRobot).length,
      heat: state.heat,
      giftSenders,
      topGiftSenders: topOfGiftSenders(giftSenders.values()),
      rocket: state.rocket === null ? null : rocketFromWire(state.rocket),
      createdAtMs: state.createdAtMs,
      lastEventAtMs: state.lastEventAtMs,
      closing: state.closing === null ? null : closingFromWire(state.closing),
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

type Table = 'users' | 'giftSenders' | 'bans' | 'passwordAttempts';
type Derived = 'topGiftSenders' | 'temporaryBans' | 'robotCount';

type WireState = Wire<Omit<RoomState, Table | Derived>> & {
  readonly users: readonly Wire<PresentUser>[];
  readonly bans: readonly Wire<RoomBan>[];
  readonly passwordAttempts: readonly Wire<PasswordAttempts>[];
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

function bansFromWire(list: readonly Wire<RoomBan>[]): PersistentMap<RoomBan> {
  let bans = emptyPersistentMap<RoomBan>();
  for (const { userId, byUserId, reason, bannedAtMs, expiresAtMs } of list) {
    bans = bans.set(userId, { userId, byUserId, reason, bannedAtMs, expiresAtMs });
  }
  if (bans.size !== list.length) throw new WireFault('a user is banned twice');
  return bans;
}

function attemptsFromWire(
  list: readonly Wire<PasswordAttempts>[],
): PersistentMap<PasswordAttempts> {
  let table = emptyPersistentMap<PasswordAttempts>();
  for (const { userId, attempts, windowStartedAtMs } of list) {
    table = table.set(userId, { userId, attempts, windowStartedAtMs });
  }
  if (table.size !== list.length) throw new WireFault('the attempts of a user are counted twice');
  return table;
}

function micRequestFromWire(request: Wire<MicRequest>): MicRequest {
  const { userId, byUserId, seatNo, requestedAtMs, expiresAtMs } = request;
  const kind = known(request.kind, 'micRequests.kind');
  return { kind, userId, byUserId, seatNo, requestedAtMs, expiresAtMs };
}

function closingFromWire(closing: Wire<RoomClosingInfo>): RoomClosingInfo {
  const { closedByUserId, reason, note, closesAtMs } = closing;
  const closedByKind = known(closing.closedByKind, 'closing.closedByKind');
  return { closedByUserId, closedByKind, reason, note, closesAtMs };
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
