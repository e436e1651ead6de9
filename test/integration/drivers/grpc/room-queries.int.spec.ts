/** RoomQueries over real gRPC: what a request becomes, and what an answer becomes on the wire. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RoomId, RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import {
  Consistency,
  LeaderboardPeriod,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import {
  MicRequestKind,
  RoomRole,
  RoomStatus,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import { failureOf, startRoomServer } from './room-server-rig.ts';

let rig: Awaited<ReturnType<typeof startRoomServer>>;
beforeAll(async () => {
  rig = await startRoomServer();
});
afterAll(() => rig.close());

const place = { appCode: 'app1', roomId: 'r1' };
const options = () => ({ timeoutMs: 10_000, token: rig.token });
const asUser = (text: string): UserId => text as UserId;
const lastAsked = () => rig.api.asked.at(-1);

describe('reads of one room', () => {
  test.each([
    [Consistency.UNSPECIFIED, ''],
    [Consistency.OWNER, 'owner'],
    [Consistency.CACHED, 'cached'],
    [9 as Consistency, 'unknown:9'],
  ])('consistency %s is asked for as "%s"', async (consistency, text) => {
    await failureOf(rig.queries.getRoomSnapshot({ ...place, consistency }, options()));
    expect(lastAsked()).toMatchObject({
      method: 'readRoom',
      what: { ...place, consistency: text },
      frame: { caller: { subject: 'u1' } },
    });
  });

  test('the guard’s verdict', async () => {
    const verdict = { allowed: false, reason: 'USER_BANNED', roomVersion: 7n, ownerEpoch: 3n };
    rig.api.answers.guardUser = verdict;
    const answer = await rig.queries.guardUser({ ...place, userId: 'u1' }, options());
    expect(answer).toMatchObject(verdict);
    expect(lastAsked()?.what).toMatchObject({ ...place, userId: 'u1' });
  });

  test('a page of the audience', async () => {
    const profile = { nickname: 'n', avatarUrl: 'a', countryCode: 'DE', ext: 'e' };
    const user = {
      userId: asUser('u2'),
      profile,
      isRobot: false,
      joinedAtMs: 5,
      joinedAtVersion: 1n as RoomVersion,
    };
    const users = [{ user, role: 'admin', seatNo: 3 } as const];
    rig.api.answers.listAudience = { users, nextCursor: 'next', roomVersion: 7n };
    const asked = { ...place, pageSize: 5, cursor: 'here' };
    expect(await rig.queries.listAudience(asked, options())).toMatchObject({
      users: [{ user: { userId: 'u2', profile, joinedAtMs: 5n }, role: RoomRole.ADMIN, seatNo: 3 }],
      nextCursor: 'next',
      roomVersion: 7n,
    });
    expect(lastAsked()?.what).toMatchObject(asked);
  });

  test('bans and mic requests', async () => {
    const ban = { userId: asUser('u2'), byUserId: asUser('u1'), reason: 'spam' };
    rig.api.answers.listBans = {
      bans: [{ ...ban, bannedAtMs: 5, expiresAtMs: 0 }],
      nextCursor: '',
      roomVersion: 7n,
    };
    expect(await rig.queries.listBans(place, options())).toMatchObject({
      bans: [{ ...ban, bannedAtMs: 5n, expiresAtMs: 0n }],
      nextCursor: '',
      roomVersion: 7n,
    });
    const wish = { userId: asUser('u2'), byUserId: asUser('u1'), seatNo: 2 };
    rig.api.answers.listMicRequests = {
      requests: [{ ...wish, kind: 'invite', requestedAtMs: 5, expiresAtMs: 6 }],
      roomVersion: 7n,
    };
    expect(await rig.queries.listMicRequests(place, options())).toMatchObject({
      requests: [{ ...wish, kind: MicRequestKind.INVITE, requestedAtMs: 5n, expiresAtMs: 6n }],
    });
  });

  test('the gift rank (QRY-4)', async () => {
    const giftRank = [{ userId: asUser('u2'), coins: 2n ** 60n, rank: 1 }];
    rig.api.answers.getGiftRank = { giftRank, roomHeat: 2n ** 61n, roomVersion: 7n };
    const answer = await rig.queries.getGiftRank({ ...place, places: 3 }, options());
    expect(answer).toMatchObject({ giftRank, roomHeat: 2n ** 61n, roomVersion: 7n });
    expect(lastAsked()?.what).toMatchObject({ places: 3 });
  });

  test('a refusal of the owner keeps its reason and its hint', async () => {
    rig.api.listBans = () =>
      Promise.reject(new Failure('retry', 'NOT_OWNER', 'x', { facts: { owner: 'cell-2' } }));
    expect(await failureOf(rig.queries.listBans(place, options()))).toMatchObject({
      status: 'UNAVAILABLE',
      reason: 'NOT_OWNER',
      facts: { owner: 'cell-2' },
    });
  });
});

describe('lists', () => {
  const entry = {
    roomId: 'r1' as RoomId,
    status: 'closing',
    title: 't',
    coverUrl: 'c',
    ownerUserId: 'u1',
    mode: 'free',
    visibleRegionId: 1n,
    locked: false,
    tags: ['x'],
    onlineCount: 1,
    seatCount: 8,
    pinned: false,
    heat: 2n ** 60n,
    createdAtMs: 5,
  } as const;

  test('rooms by id and by owner, with their status', async () => {
    rig.api.answers.batchGetRooms = [entry];
    const shown = { roomId: 'r1', status: RoomStatus.CLOSING, heat: 2n ** 60n, createdAtMs: 5n };
    const ids = { appCode: 'app1', roomIds: ['r1', 'r2'] };
    expect(await rig.queries.batchGetRooms(ids, options())).toMatchObject({ rooms: [shown] });
    expect(lastAsked()?.what).toMatchObject(ids);
    rig.api.answers.listRoomsByOwner = { entries: [entry], nextCursor: 'next' };
    const owned = { appCode: 'app1', ownerUserId: 'u1', pageSize: 1, cursor: 'here' };
    const page = { rooms: [shown], nextCursor: 'next' };
    expect(await rig.queries.listRoomsByOwner(owned, options())).toMatchObject(page);
    expect(lastAsked()?.what).toMatchObject(owned);
  });

  test.each([
    [LeaderboardPeriod.UNSPECIFIED, ''],
    [LeaderboardPeriod.DAY, 'day'],
    [LeaderboardPeriod.WEEK, 'week'],
    [LeaderboardPeriod.ALL, 'all'],
    [9 as LeaderboardPeriod, 'unknown:9'],
  ])('a page of the board of period %s is asked for as "%s" (QRY-4)', async (period, text) => {
    const places = [{ rank: 1, roomId: 'r1' as RoomId, coins: 2n ** 60n + 1n }];
    rig.api.answers.getLeaderboard = { places, periodName: '2026-W49', nextCursor: 'next' };
    const asked = { appCode: 'app1', previous: true, pageSize: 1, cursor: 'here' };
    expect(await rig.queries.getLeaderboard({ ...asked, period }, options())).toMatchObject({
      places,
      periodName: '2026-W49',
      nextCursor: 'next',
    });
    expect(lastAsked()?.what).toMatchObject({ ...asked, period: text });
  });

  test('the rooms of a user', async () => {
    const rooms = [{ roomId: 'r1' as RoomId, joinedAtMs: 1_700_000_000_000 }];
    rig.api.answers.getUserRooms = { rooms, nextCursor: 'next' };
    const asked = { appCode: 'app1', userId: 'u1', pageSize: 1, cursor: 'here' };
    expect(await rig.queries.getUserRooms(asked, options())).toMatchObject({
      rooms: [{ roomId: 'r1', joinedAtMs: 1_700_000_000_000n }],
      nextCursor: 'next',
    });
    expect(lastAsked()?.what).toMatchObject(asked);
  });
});
