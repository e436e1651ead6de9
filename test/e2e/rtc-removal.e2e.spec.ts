/**
 * Who is put out of a room loses its audio, whatever the RTC service answers (A14, TST-12): the room
 * decides without it, and the outbox goes on until it is done. And the room's IM group keeps it out. Over
 * real processes and the sandbox, which takes the place of Tencent RTC and IM.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GrpcCallError } from '../../src/drivers/grpc/grpc-client.ts';
import { orderFault } from '../../src/main/sample/sandbox-record.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { RoomPlayer, untilAnswered } from './support/play.ts';

const sdkAppId = 1_400_000_001;
const users = Array.from({ length: 10 }, (_, n) => `u${n + 1}`);
const delivered = { limitMs: 120_000, everyMs: 200 };

interface RtcPage {
  readonly removals: readonly { room_id: string; user_id: string; times: number; found: number }[];
  readonly rooms: readonly { room_id: string; users: readonly string[] }[];
}

let fleet: Fleet;
let client: FleetClient;

beforeAll(async () => {
  fleet = await Fleet.open('rtc', {
    ROOMCELL_OUTBOX_WORKER_INITIAL_BACKOFF: '300ms',
    ROOMCELL_OUTBOX_WORKER_MAX_BACKOFF: '1s',
    ROOMCELL_OUTBOX_WORKER_MAX_RETRY_COUNT: '1000',
    ROOMCELL_PRESENCE_STALE_AFTER: '45s',
  });
  const gateway = await fleet.start('gateway-1', ['gateway']);
  const others = await Promise.all(
    (['cell', 'relay', 'adapter-im', 'sandbox'] as const).map((role) =>
      fleet.start(`${role}-1`, [role]),
    ),
  );
  await Promise.all([gateway, ...others].map((started) => started.ready()));
  client = fleet.connect(gateway);
});
afterAll(() => fleet.close());

const rtc = async (): Promise<RtcPage> =>
  (await (await fetch(`${fleet.sandboxControl}/sandbox/rtc`)).json()) as RtcPage;

async function enter(room: string, user: string): Promise<void> {
  const body = JSON.stringify({ sdk_app_id: sdkAppId, room_id: room, user_id: user });
  const entered = await fetch(`${fleet.sandboxControl}/sandbox/rtc/enter`, {
    method: 'POST',
    body,
  });
  expect(entered.ok).toBe(true);
}

const fault = (order: object) => orderFault(fleet.sandboxControl, { destination: 'rtc', ...order });

async function asUser(user: string, role: 'user' | 'service' = 'user') {
  return { timeoutMs: 5_000, token: await fleet.token(user, role) };
}

async function roomWith(room: string, present: readonly string[] = users): Promise<RoomPlayer> {
  const player = new RoomPlayer(fleet, client, room);
  await player.create('create');
  await Promise.all(present.map((user) => player.join(`join-${user}`, user)));
  return player;
}

const metaOf = (room: string, commandId: string) => ({
  appCode: fleetApp,
  roomId: room,
  commandId,
  actorUserId: 'owner',
});

async function kick(room: string, user: string, commandId = `kick-${user}`) {
  const call = await asUser('owner');
  return untilAnswered(commandId, () =>
    client.commands.kickUser({ meta: metaOf(room, commandId), userId: user }, call),
  );
}

/** States of the room's rows for RTC, by the user whom the command of each named. */
async function rtcRows(room: string): Promise<string[]> {
  const rows = await fleet.sql(
    "SELECT status FROM room_outbox WHERE room_id = ? AND destination = 'rtc' ORDER BY id",
    [room],
  );
  return rows.map((row) => String(row['status']));
}

async function allDelivered(room: string, count: number): Promise<void> {
  let seen: string[] = [];
  await waitUntil(
    `${count} removals of ${room} are done`,
    async () => {
      seen = await rtcRows(room);
      return seen.length === count && seen.every((status) => status === 'delivered');
    },
    { ...delivered, seen: () => seen.join(' ') },
  );
}

/** Tells of the removal of one user from one room; times 0: nobody asked for it. */
async function removalOf(room: string, user: string) {
  const { removals } = await rtc();
  const found = removals.find(({ room_id, user_id }) => room_id === room && user_id === user);
  return found ?? { times: 0, found: 0 };
}

/** Waits until the room's IM group has banned just these. */
async function groupKeepsOut(room: string, userIds: readonly string[]): Promise<void> {
  let seen: unknown = 'no group';
  await waitUntil(
    `the group of ${room} keeps out ${userIds.join(', ') || 'nobody'}`,
    async () => {
      const page = await (await fetch(`${fleet.sandboxControl}/sandbox/groups`)).json();
      const { groups } = page as { groups: { group_id: string; banned: { user_id: string }[] }[] };
      const group = groups.find(({ group_id }) => group_id === `rc_${fleetApp}_${room}`);
      const banned = group?.banned.map(({ user_id }) => user_id);
      seen = banned ?? 'no group';
      return banned?.join() === userIds.join();
    },
    { limitMs: 30_000, everyMs: 50, seen: () => String(seen) },
  );
}

describe('a kick from a seat (A14)', () => {
  it.each([
    { room: 'a', answer: 'no such user', inside: ['somebody'], order: null, quick: true },
    { room: 'b', answer: 'no such room', inside: [], order: null, quick: true },
    {
      room: 'c',
      answer: 'no answer',
      inside: users,
      order: { kind: 'hang', times: null },
      quick: false,
    },
    {
      room: 'd',
      answer: 'status 500',
      inside: users,
      order: { kind: 'http_500', times: null },
      quick: false,
    },
  ])(
    'while RTC gives $answer frees the seat in the commit, bans, and is done in the end',
    async ({ room, inside, order, quick }) => {
      const player = await roomWith(room, [...users, 'next']);
      for (const user of inside) await enter(room, user);
      if (order !== null) await fault(order);
      for (const [at, user] of users.entries()) {
        await player.micUp(`up-${user}`, user, 1);
        const { snapshot } = await kick(room, user);
        // Ban, presence and seat are one commit: the answer's own view shows all three.
        expect(snapshot?.seats[0]?.holder).toBeUndefined();
        expect(snapshot?.counts?.online).toBe(users.length - at);
        const again = player.join(`again-${user}`, user);
        await expect(again).rejects.toSatisfy(
          (error) => error instanceof GrpcCallError && error.failure.reason === 'USER_BANNED',
        );
        // Another user gets the seat at once.
        await player.micUp(`next-${user}`, 'next', 1);
        const call = await asUser('next');
        await client.commands.micDown(
          { meta: { ...metaOf(room, `down-${user}`), actorUserId: 'next' } },
          call,
        );
      }
      if (!quick) {
        expect((await rtcRows(room)).filter((status) => status === 'delivered')).toEqual([]);
        await fault({ clear: true });
      }
      await allDelivered(room, users.length);
      const { rooms } = await rtc();
      const left = rooms.find(({ room_id }) => room_id === room)?.users ?? [];
      expect(left.filter((user) => users.includes(user))).toEqual([]);
    },
    240_000,
  );
});

describe('while RTC does not answer', () => {
  it('a closed room and a sweep free every seat, and ask RTC for nothing (A14)', async () => {
    await fault({ kind: 'hang', times: null });
    const closing = await roomWith('closed', ['s1', 's2']);
    const swept = await roomWith('swept', ['s1', 's2']);
    for (const [player, from] of [
      [closing, 1],
      [swept, 1],
    ] as const) {
      await player.micUp('up-s1', 's1', from);
      await player.micUp('up-s2', 's2', from + 1);
    }
    await closing.close('close');
    const call = await asUser('backend', 'service');
    const heldSeats = async (room: string) => {
      const place = { appCode: fleetApp, roomId: room };
      const { snapshot } = await client.queries.getRoomSnapshot(place, call);
      return snapshot?.seats.filter(({ holder }) => holder !== undefined).length;
    };
    expect(await heldSeats('closed')).toBe(0);
    await waitUntil(
      'the silent are swept',
      async () => (await heldSeats('swept')) === 0,
      delivered,
    );
    expect(await rtcRows('closed')).toEqual([]);
    expect(await rtcRows('swept')).toEqual([]);
    await fault({ clear: true });
  }, 240_000);
});

describe('a user who was kicked (TST-12)', () => {
  it('gets no ticket; unbanned and back in the room it is not put out by a late try', async () => {
    const room = 'back';
    const player = await roomWith(room, ['u1']);
    const place = { appCode: fleetApp, roomId: room };
    const ticket = async () => client.queries.issueRtcTicket(place, await asUser('u1'));
    expect(await ticket()).toMatchObject({ rtcRoomId: room, userId: 'u1', maySendAudio: false });
    await player.micUp('up', 'u1', 1);
    expect(await ticket()).toMatchObject({ maySendAudio: true });
    await enter(room, 'u1');
    await fault({ kind: 'http_500', times: null });
    await kick(room, 'u1');
    await expect(ticket()).rejects.toMatchObject({ failure: { reason: 'USER_BANNED' } });
    const owner = await asUser('owner');
    await client.commands.unbanUser({ meta: metaOf(room, 'unban'), userId: 'u1' }, owner);
    await player.join('back', 'u1');
    await fault({ clear: true });
    await allDelivered(room, 1);
    // Nobody but the requests that met the fault, which removed nobody.
    expect(await removalOf(room, 'u1')).toMatchObject({ times: 0 });
    const { rooms } = await rtc();
    expect(rooms.find(({ room_id }) => room_id === room)?.users).toEqual(['u1']);
    expect(await ticket()).toMatchObject({ userId: 'u1' });
  }, 240_000);

  it('is put out by the cell at once, also while nobody carries the outbox (RTC-1, EXT-3)', async () => {
    const room = 'once';
    await roomWith(room, ['u1']);
    await enter(room, 'u1');
    const relay = fleet.processes.find(({ name }) => name === 'relay-1');
    relay?.freeze();
    try {
      await kick(room, 'u1');
      await waitUntil(
        'u1 is out',
        async () => (await removalOf(room, 'u1')).found === 1,
        delivered,
      );
      expect(await rtcRows(room)).toEqual(['pending']);
    } finally {
      relay?.thaw();
    }
    await allDelivered(room, 1);
  }, 240_000);

  it('is banned from the room’s IM group, and let in again with the unban (PRES-7, PRES-11)', async () => {
    const room = 'group';
    await roomWith(room, ['u1', 'u2']);
    await kick(room, 'u1');
    await groupKeepsOut(room, ['u1']);
    const owner = await asUser('owner');
    await client.commands.unbanUser({ meta: metaOf(room, 'unban'), userId: 'u1' }, owner);
    await groupKeepsOut(room, []);
  }, 60_000);

  it('by an operator’s eviction is put out as well (CMD-24, CFG-7, SVC-25)', async () => {
    const room = 'evicted';
    await roomWith(room, ['u1', 'u2']);
    await enter(room, 'u1');
    const call = { timeoutMs: 20_000, token: await fleet.token('op-1', 'operator') };
    const evict = { appCode: fleetApp, commandId: 'evict-1', userId: 'u1', reason: 'fraud' };
    await client.admin.evictUser(evict, call);
    await allDelivered(room, 1);
    expect(await removalOf(room, 'u1')).toMatchObject({ found: 1 });
  }, 240_000);
});
