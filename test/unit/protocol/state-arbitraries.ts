/**
 * Any state. What the domain forbids (two seats with one number) may occur; the codec does not judge
 * it. What is made from other parts is made here as the domain makes it.
 */
import fc from 'fast-check';
import { temporaryBansOf } from '../../../src/domain/bans/ban-table.ts';
import { topOfGiftSenders } from '../../../src/domain/gift/gift-rank.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { RocketState } from '../../../src/domain/rocket/rocket-state.ts';
import type {
  GiftSender,
  MicOccupancy,
  MicRequest,
  MicSeat,
  PasswordAttempts,
  PresentUser,
  RoomBan,
  RoomState,
  RoomStatus,
} from '../../../src/domain/room/state.ts';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type { PersistentMap } from '../../../src/kernel/persistent-map.ts';
import {
  anySymbol,
  appCode,
  closer,
  int,
  long,
  micRequestKind,
  micSessionId,
  mode,
  profile,
  rocketReward,
  roomId,
  roomProfile,
  text,
  timeMs,
  userId,
  version,
} from './arbitrary-parts.ts';

/** Any present user. */
export const anyUser: fc.Arbitrary<PresentUser> = fc.record({
  userId,
  profile,
  isRobot: fc.boolean(),
  joinedAtMs: timeMs,
  joinedAtVersion: version,
});

const anySeat: fc.Arbitrary<MicSeat> = fc.record({
  seatNo: int,
  locked: fc.boolean(),
  muted: fc.boolean(),
  occupancy: fc.option(
    fc.record({
      userId,
      micSessionId,
      state: anySymbol<MicOccupancy['state']>({ pending_publish: true, publishing: true }),
      sessionRoomVersion: version,
      sessionStartedAtMs: timeMs,
      publishDeadlineMs: timeMs,
      lastPublishEventTimeMs: timeMs,
    }),
  ),
});

const anyMicRequest: fc.Arbitrary<MicRequest> = fc.record({
  kind: micRequestKind,
  userId,
  byUserId: userId,
  seatNo: int,
  requestedAtMs: timeMs,
  expiresAtMs: timeMs,
});

const anyBan: fc.Arbitrary<RoomBan> = fc.record({
  userId,
  byUserId: userId,
  reason: text,
  bannedAtMs: timeMs,
  expiresAtMs: fc.oneof(fc.constant(0), timeMs),
});

const anyAttempts: fc.Arbitrary<PasswordAttempts> = fc.record({
  userId,
  attempts: int,
  windowStartedAtMs: timeMs,
});

const anySender: fc.Arbitrary<GiftSender> = fc.record({
  userId,
  coins: long,
  reachedAtVersion: version,
});

const anyRocket: fc.Arbitrary<RocketState> = fc.record({
  roundNo: long,
  level: int,
  fuel: long,
  fuelTarget: long,
  rulesVersion: long,
  startedAtMs: timeMs,
  ignition: fc.option(
    fc.record({
      igniterUserId: userId,
      ignitedAtMs: timeMs,
      launchAtMs: timeMs,
      carriedFuel: long,
      minimumContribution: long,
      rewards: fc.array(rocketReward, { maxLength: 3 }),
      nextLevel: int,
      nextFuelTarget: long,
    }),
  ),
  contributors: fc.array(anySender, { maxLength: 4 }),
});

const closing = { closedByUserId: userId, closedByKind: closer, reason: text, note: text };

const anyStored: fc.Arbitrary<Omit<RoomState, 'temporaryBans' | 'topGiftSenders' | 'robotCount'>> =
  fc.record({
    appCode,
    roomId,
    status: anySymbol<RoomStatus>({
      absent: true,
      active: true,
      closing: true,
      closed: true,
      deleted: true,
    }),
    version,
    ownerUserId: fc.option(userId),
    profile: roomProfile,
    mode,
    visibleRegionId: long,
    passwordHash: text,
    passwordVersion: long,
    seats: fc.array(anySeat, { maxLength: 4 }),
    micRequests: fc.array(anyMicRequest, { maxLength: 4 }),
    admins: fc.array(userId, { maxLength: 4 }),
    bans: tableOf(anyBan),
    passwordAttempts: tableOf(anyAttempts),
    users: tableOf(anyUser),
    heat: long,
    giftSenders: tableOf(anySender),
    rocket: fc.option(anyRocket),
    createdAtMs: timeMs,
    lastEventAtMs: timeMs,
    closing: fc.option(fc.record({ ...closing, closesAtMs: timeMs })),
    closeInfo: fc.option(
      fc.record({ ...closing, closedAtMs: timeMs, finalOnlineCount: int, finalHeat: long }),
    ),
  });

/** Any state whose derived parts are those of its tables. */
export const anyState: fc.Arbitrary<RoomState> = anyStored.map((state) => ({
  ...state,
  temporaryBans: temporaryBansOf(state.bans),
  topGiftSenders: topOfGiftSenders(state.giftSenders.values()),
  robotCount: [...state.users.values()].filter(({ isRobot }) => isRobot).length,
}));

function tableOf<Item extends { readonly userId: UserId }>(
  item: fc.Arbitrary<Item>,
): fc.Arbitrary<PersistentMap<Item>> {
  return fc
    .array(item, { maxLength: 12 })
    .map((list) =>
      list.reduce((map, held) => map.set(held.userId, held), emptyPersistentMap<Item>()),
    );
}
