/** What operators do, over real processes: a user leaves every room, and the log tells of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoggedOutcome } from '../../src/drivers/grpc/generated/roomcell/v1/room_admin_pb.ts';
import { GrpcCallError } from '../../src/drivers/grpc/grpc-client.ts';
import type { WireFailure } from '../../src/drivers/grpc/error-details.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { RoomPlayer } from './support/play.ts';

let fleet: Fleet;
let client: FleetClient;
let options: { readonly timeoutMs: number; readonly token: string };

beforeAll(async () => {
  fleet = await Fleet.open('operators', {});
  const gateway = await fleet.start('gateway-1', ['gateway']);
  const cell = await fleet.start('cell-a', ['cell']);
  await Promise.all([gateway.ready(), cell.ready()]);
  client = fleet.connect(gateway);
  options = { timeoutMs: 20_000, token: await fleet.token('op-1', 'operator') };
});
afterAll(() => fleet.close());

/** A room with its owner and these users in it. */
async function roomWith(room: string, ...users: string[]): Promise<RoomPlayer> {
  const player = new RoomPlayer(fleet, client, room);
  await player.create('create');
  for (const user of users) await player.join(`join-${user}`, user);
  return player;
}

const evict = (change: object = {}) =>
  client.admin.evictUser(
    { appCode: fleetApp, commandId: 'evict-1', userId: 'bad', reason: 'fraud', ...change },
    options,
  );

async function failureOf(call: Promise<unknown>): Promise<WireFailure> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof GrpcCallError) return thrown.failure;
    throw thrown;
  }
  throw new Error('the call succeeded');
}

describe('an eviction from all rooms', () => {
  it('takes the user out of every room, keeps it out until the ban is lifted, and is done once (EXT-11, CMD-24)', async () => {
    const rooms = await Promise.all(
      ['e1', 'e2', 'e3'].map((room) => roomWith(room, 'bad', 'good')),
    );
    const token = await fleet.token('backend', 'service');
    expect(
      await failureOf(
        client.admin.evictUser(
          { appCode: fleetApp, commandId: 'evict-0', userId: 'bad' },
          { ...options, token },
        ),
      ),
    ).toMatchObject({ status: 'PERMISSION_DENIED' });

    expect(await evict()).toMatchObject({
      banned: true,
      roomsEvicted: ['e1', 'e2', 'e3'],
      roomsUnknown: [],
    });
    const present = await fleet.sql('SELECT user_id, room_id FROM user_rooms ORDER BY 1, 2', []);
    expect(present.map((row) => `${row['user_id']} ${row['room_id']}`)).toEqual([
      'good e1',
      'good e2',
      'good e3',
    ]);
    expect(await failureOf(rooms[0]?.join('again-1', 'bad') ?? Promise.resolve())).toMatchObject({
      reason: 'USER_PLATFORM_BANNED',
    });

    const lift = { appCode: fleetApp, commandId: 'lift-1', userId: 'bad', reason: 'mistake' };
    await client.admin.liftPlatformBan(lift, options);
    expect(await rooms[0]?.join('again-2', 'bad')).toMatchObject({ applied: true });
    expect(await evict()).toMatchObject({ banned: false, roomsEvicted: [], roomsUnknown: [] });
    expect(await failureOf(evict({ userId: 'good' }))).toMatchObject({
      reason: 'COMMAND_ID_REUSED',
    });

    const again = await evict({ commandId: 'evict-2', roomId: 'e1' });
    expect(again).toMatchObject({ banned: false, roomsEvicted: ['e1'] });
    expect(await rooms[0]?.join('again-3', 'bad')).toMatchObject({ applied: true });
    const audit = await fleet.sql(
      'SELECT command_id, operator_id, action, room_id FROM operator_audit ORDER BY command_id',
      [],
    );
    expect(audit.map((row) => Object.values(row as object).join(' '))).toEqual([
      'evict-1 op-1 EvictUser ',
      'evict-2 op-1 EvictUser e1',
      'lift-1 op-1 LiftPlatformBan ',
    ]);
  });
});

describe('the log of a room', () => {
  it('tells the newest first what changed it, and apart from that what did not', async () => {
    const player = await roomWith('h1', 'bad', 'good');
    await evict({ commandId: 'evict-3', roomId: 'h1' });
    await player.leave('leave-bad', 'bad').catch(() => undefined);
    const place = { appCode: fleetApp, roomId: 'h1' };
    const page = await client.admin.getRoomHistory({ ...place, pageSize: 2 }, options);
    expect(page.commands).toMatchObject([
      {
        commandId: 'evict-3',
        commandType: 'EvictUser',
        actorUserId: 'op-1',
        outcome: LoggedOutcome.APPLIED,
        roomVersion: 4n,
        ownerNodeId: 'cell-a',
        eventTypes: ['RoomUserLeft', 'RoomUserEvicted'],
      },
      { commandId: 'join-good', roomVersion: 3n, eventTypes: ['RoomUserJoined'] },
    ]);
    expect(page.commands[0]?.logOffset).toBeGreaterThan(page.commands[1]?.logOffset ?? 0n);
    const { nextCursor: cursor } = page;
    const rest = await client.admin.getRoomHistory({ ...place, pageSize: 2, cursor }, options);
    expect(rest.commands.map(({ commandId }) => commandId)).toEqual(['join-bad', 'create']);
    const unapplied = await client.admin.getRoomHistory({ ...place, unapplied: true }, options);
    expect(unapplied.commands).toMatchObject([{ commandId: 'leave-bad', eventTypes: [] }]);
    expect(unapplied.commands[0]?.outcome).not.toBe(LoggedOutcome.APPLIED);
  });

  it('leads to the room that its row and its snapshot tell of', async () => {
    const users = Array.from({ length: 12 }, (_, n) => `v${n}`);
    await roomWith('v1', ...users);
    const place = { appCode: fleetApp, roomId: 'v1' };
    expect(await client.admin.verifyRoom(place, options)).toMatchObject({
      equal: true,
      difference: '',
      roomVersion: 13n,
    });
    await fleet.sql("UPDATE rooms SET owner_user_id = 'v1' WHERE room_id = 'v1'", []);
    expect(await client.admin.verifyRoom(place, options)).toMatchObject({
      equal: false,
      difference: 'the row and the log differ in the owner',
    });
  });
});

describe('a pin', () => {
  it('puts a room before the others of the list, through later commits', async () => {
    await roomWith('p1', 'u1', 'u2');
    const player = await roomWith('p2');
    const pin = { appCode: fleetApp, commandId: 'pin-1', roomId: 'p2', pinned: true };
    await client.admin.pinRoom(pin, options);
    await player.join('late', 'u9');
    const list = await client.queries.listRooms({ appCode: fleetApp, pageSize: 1 }, options);
    expect(list.rooms).toMatchObject([{ roomId: 'p2', pinned: true, onlineCount: 1 }]);
    const nowhere = { ...pin, commandId: 'pin-2', roomId: 'nowhere' };
    expect(await failureOf(client.admin.pinRoom(nowhere, options))).toMatchObject({
      reason: 'ROOM_NOT_FOUND',
    });
  });
});
