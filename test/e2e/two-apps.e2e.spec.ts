/**
 * Two apps whose rooms, users and command ids have the same names, through one gateway, one cell and
 * one wallet: nothing of the one is ever seen in the other (TST-15).
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf, type AppCode, type CommandId, type RoomId } from '../../src/domain/ids.ts';
import { Consistency } from '../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { debitKeyOf } from '../../src/protocol/debit.ts';
import { Fleet, type FleetClient } from './support/fleet.ts';
import { GiftPlayer } from './support/gift-play.ts';
import { failureOf, setWalletBalance, walletRecord } from './support/observe.ts';
import { RoomPlayer } from './support/play.ts';

const apps = ['demo', 'other'] as const;
type App = (typeof apps)[number];
const room = 'r1';
/** Coins of a rose. */
const price = { demo: 10n, other: 7n } as const;
const timeoutMs = 20_000;

let fleet: Fleet;
let client: FleetClient;
let redis: Redis;

beforeAll(async () => {
  fleet = await Fleet.open('twoapps', {
    ROOMCELL_CATALOGUE_AT_START: apps.map((app) => `${app}/rose=${price[app]}`).join(','),
  });
  redis = new Redis(fleet.space.redis.url);
  const core = await fleet.start('core', ['gateway', 'cell']);
  const sandbox = await fleet.start('sandbox', ['sandbox']);
  await Promise.all([core.ready(), sandbox.ready()]);
  client = fleet.connect(core);
});
afterAll(async () => {
  redis.disconnect();
  await fleet.close();
});

function playerOf(app: App): RoomPlayer {
  return new RoomPlayer(fleet, client, room, { appCode: app });
}

/** As the app's own backend. */
async function callOf(app: App) {
  return { timeoutMs, token: await fleet.token('backend', 'service', { appCode: app }) };
}

async function snapshotOf(app: App) {
  const read = { appCode: app, roomId: room, consistency: Consistency.OWNER };
  const { snapshot } = await client.queries.getRoomSnapshot(read, await callOf(app));
  return snapshot;
}

async function usersOf(app: App): Promise<string[]> {
  const page = { appCode: app, roomId: room, pageSize: 100 };
  const { users } = await client.queries.listAudience(page, await callOf(app));
  return users.map(({ user }) => user?.userId ?? '').sort();
}

function leaseOf(app: App): Promise<string | null> {
  const key = roomKeyOf(app as AppCode, room as RoomId);
  return redis.get(`${fleet.space.redis.keyPrefix}${key}`);
}

describe('a room of the same name in two apps', () => {
  it('is two rooms: two states, two leases, and the same command id is free in the other (TST-15)', async () => {
    const [demo, other] = [playerOf('demo'), playerOf('other')];
    const made = { applied: true, replayed: false, roomVersion: 1n };
    expect(await demo.create('c1')).toMatchObject(made);
    expect(await leaseOf('demo')).not.toBeNull();
    expect(await leaseOf('other')).toBeNull();
    expect(await other.create('c1', 'another-owner')).toMatchObject(made);
    expect(await leaseOf('other')).not.toBeNull();

    for (const user of ['u1', 'u2']) await demo.join(`j-${user}`, user);
    await other.join('j-u1', 'u3');
    const up = await demo.micUp('m1', 'u1', 1);
    expect(await usersOf('demo')).toEqual(['u1', 'u2']);
    expect(await usersOf('other')).toEqual(['u3']);
    expect(await snapshotOf('demo')).toMatchObject({
      roomVersion: 4n,
      ownerUserId: 'owner',
      counts: { online: 2, onSeat: 1 },
    });
    expect(await snapshotOf('other')).toMatchObject({
      roomVersion: 2n,
      ownerUserId: 'another-owner',
      counts: { online: 1, onSeat: 0 },
    });
    // Each id repeats the answer of its own app.
    expect(await demo.micUp('m1', 'u1', 1)).toMatchObject({ replayed: true, roomVersion: 4n });
    expect(await failureOf(other.micUp('m1', 'u1', 1))).toMatchObject({
      reason: 'USER_NOT_PRESENT',
    });
    const again = await other.micUp('m2', 'u3', 1);
    expect(again.micSessionId).not.toBe(up.micSessionId);
  });

  it('has two ranks, and a gift of the same id is one debit at each app’s own price (TST-15)', async () => {
    const opening = { demo: 1_000n, other: 100n } as const;
    const keys = apps.map((app) => debitKeyOf(app as AppCode, room as RoomId, 'g1' as CommandId));
    expect(new Set(keys).size).toBe(2);
    await playerOf('other').join('j-u1-too', 'u1');
    for (const app of apps) {
      await setWalletBalance(fleet, { appCode: app, userId: 'u1' }, opening[app]);
    }
    for (const app of apps) {
      const to = app === 'demo' ? 'u2' : 'u3';
      const gifts = new GiftPlayer(fleet, client, app);
      const end = await gifts.give(room, 'g1', { from: 'u1', to: [to], count: 3 });
      const coins = 3n * price[app];
      expect(end).toMatchObject({
        kind: 'given',
        result: {
          applied: true,
          replayed: false,
          coinBalanceAfter: opening[app] - coins,
          roomHeat: coins,
          giftRank: [{ userId: 'u1', coins, rank: 1 }],
        },
      });
    }
    const { keys: known } = await walletRecord(fleet);
    expect(
      keys.map((wanted) => {
        const key = known.find((entry) => entry.key === wanted);
        return [key?.app_code, key?.debits, key?.debited_coins];
      }),
    ).toEqual([
      ['demo', 1, '30'],
      ['other', 1, '21'],
    ]);
    for (const app of apps) {
      const rank = { appCode: app, roomId: room, places: 10 };
      expect(await client.queries.getGiftRank(rank, await callOf(app))).toMatchObject({
        roomHeat: 3n * price[app],
        giftRank: [{ userId: 'u1', coins: 3n * price[app] }],
      });
    }
  });

  it('is closed in one app and goes on in the other, and no token opens the other’s (TST-15)', async () => {
    await playerOf('demo').close('x1');
    expect(await failureOf(playerOf('demo').join('j-late', 'u4'))).toMatchObject({
      reason: 'ROOM_CLOSED',
    });
    expect(await playerOf('other').join('j-late', 'u4')).toMatchObject({ applied: true });
    const listed = await Promise.all(
      apps.map(async (app) => {
        const list = await client.queries.listRooms({ appCode: app }, await callOf(app));
        return list.rooms.map(({ roomId, onlineCount }) => [roomId, onlineCount]);
      }),
    );
    expect(listed).toEqual([[], [[room, 3]]]);
    const read = { appCode: 'other', roomId: room };
    const foreign = client.queries.getRoomSnapshot(read, await callOf('demo'));
    expect(await failureOf(foreign)).toMatchObject({ status: 'PERMISSION_DENIED' });
    const log = await fleet.sql(
      'SELECT app_code, COUNT(*) AS n FROM room_command_log WHERE room_id = ? ' +
        "AND command_id = 'j-late' GROUP BY 1 ORDER BY 1",
      [room],
    );
    expect(log.map((row) => String(row['app_code']))).toEqual(['demo', 'other']);
  });
});
