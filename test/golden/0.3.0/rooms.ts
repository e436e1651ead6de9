/** Rooms with everything that 0.3.0 added to a state: one that is closing, and a deleted one. */
import { temporaryBansOf } from '../../../src/domain/bans/ban-table.ts';
import type { RoomBan, PasswordAttempts, RoomState } from '../../../src/domain/room/state.ts';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type { SnapshotRecord } from '../../../src/protocol/records.ts';
import { snapshots as former } from '../0.2.0/samples.ts';
import { ann, bob, eve, passwordHash, passwordVersion, profile, timeMs } from './names.ts';

const until: RoomBan = {
  userId: eve,
  byUserId: ann,
  reason: '刷屏',
  bannedAtMs: timeMs,
  expiresAtMs: timeMs + 3_600_000,
};

const forGood: RoomBan = {
  userId: bob,
  byUserId: ann,
  reason: '',
  bannedAtMs: timeMs,
  expiresAtMs: 0,
};

const bans = [until, forGood].reduce(
  (map, ban) => map.set(ban.userId, ban),
  emptyPersistentMap<RoomBan>(),
);

const passwordAttempts = emptyPersistentMap<PasswordAttempts>().set(eve, {
  userId: eve,
  attempts: 5,
  windowStartedAtMs: timeMs,
});

/** The room of 0.2.0 with gifts and users, now closing, with requests, admins, bans and attempts. */
export function closingRoom(): RoomState {
  const { state } = former[1] as SnapshotRecord;
  return {
    ...state,
    status: 'closing',
    profile,
    mode: 'apply',
    passwordHash,
    passwordVersion,
    micRequests: [
      {
        kind: 'invite',
        userId: bob,
        byUserId: ann,
        seatNo: 0,
        requestedAtMs: timeMs,
        expiresAtMs: timeMs + 60_000,
      },
      {
        kind: 'apply',
        userId: ann,
        byUserId: ann,
        seatNo: 2,
        requestedAtMs: timeMs + 1,
        expiresAtMs: timeMs + 60_001,
      },
    ],
    admins: [bob, eve],
    bans,
    temporaryBans: temporaryBansOf(bans),
    passwordAttempts,
    closing: {
      closedByUserId: ann,
      closedByKind: 'owner',
      reason: 'owner_closed',
      note: '再见',
      closesAtMs: timeMs + 30_000,
    },
    closeInfo: null,
  };
}

/** What is kept of a deleted room: name, owner, version and times. */
export function deletedRoom(): RoomState {
  return {
    ...closingRoom(),
    status: 'deleted',
    profile: { title: '', coverUrl: '', announcement: '', backgroundUrl: '', tags: [], ext: '' },
    mode: 'free',
    visibleRegionId: 0n,
    passwordHash: '',
    passwordVersion: 0n,
    seats: [],
    micRequests: [],
    admins: [],
    bans: emptyPersistentMap(),
    temporaryBans: [],
    passwordAttempts: emptyPersistentMap(),
    users: emptyPersistentMap(),
    robotCount: 0,
    heat: 0n,
    giftSenders: emptyPersistentMap(),
    topGiftSenders: [],
    rocket: null,
    closing: null,
  };
}
