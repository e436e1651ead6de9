/**
 * Strongly consistent reads over real processes: any cell passes a read on to the owner; after a kill
 * the next owner answers; a frozen owner, thawed, does not answer from what it remembers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf, type AppCode, type RoomId, type UserId } from '../../src/domain/ids.ts';
import { Consistency } from '../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { createOwnerReadsPeers } from '../../src/drivers/grpc/owner-reads-client.ts';
import { createSystemClock } from '../../src/drivers/system/system-clock.ts';
import { Failure } from '../../src/kernel/failure.ts';
import { nodeTokenOf } from '../../src/main/node-token.ts';
import type { RoomcellConfig } from '../../src/main/config/config-schema.ts';
import type { OwnerQuestion, OwnerReply } from '../../src/ports/owner-reads.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { counterOf } from './support/observe.ts';
import { bothOwn, owners, partitionOfRoom, roomOf } from './support/ownership.ts';
import { RoomPlayer, untilAnswered } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

const deploymentSecret = 'a deployment secret of this file, long enough';
const token = nodeTokenOf({ deploymentSecret } as RoomcellConfig);
const peers = createOwnerReadsPeers({ token }, { clock: createSystemClock() });

let fleet: Fleet;
let client: FleetClient;
let cellA: RoleProcess;
let cellB: RoleProcess;

beforeAll(async () => {
  fleet = await Fleet.open('reads', { ROOMCELL_DEPLOYMENT_SECRET: deploymentSecret });
  const gateway = await fleet.start('gateway-1', ['gateway']);
  cellA = await fleet.start('cell-a', ['cell']);
  cellB = await fleet.start('cell-b', ['cell']);
  await Promise.all([gateway, cellA, cellB].map((started) => started.ready()));
  client = fleet.connect(gateway);
});
afterAll(async () => {
  await peers.stop();
  await fleet.close();
});

/** Asks one cell itself, as another node would; `forwardedBy` '' asks it to pass the read on. */
function askCell(
  address: string,
  room: string,
  forwardedBy: string,
  question: OwnerQuestion = { kind: 'view' },
): Promise<OwnerReply> {
  const read = {
    roomKey: roomKeyOf(fleetApp as AppCode, room as RoomId),
    asker: { role: 'service', userId: null },
    question,
    forwardedBy,
  } as const;
  return peers.at(address).read(read, { withinMs: 10_000, signal: new AbortController().signal });
}

async function reasonOf(reply: Promise<OwnerReply>): Promise<string> {
  try {
    return `answered version ${(await reply).roomVersion}`;
  } catch (error) {
    if (error instanceof Failure) return error.reason;
    throw error;
  }
}

/** Where the node is reached, as its owner rows say. */
async function addressOf(node: string): Promise<string> {
  const [row] = await fleet.sql(
    'SELECT advertise_addr FROM partition_owner WHERE owner_node_id = ? LIMIT 1',
    [node],
  );
  return String(row?.['advertise_addr']);
}

/** The guard's verdict about a user, asked for until somebody can give it. */
async function guard(room: string, userId: string) {
  const options = { timeoutMs: 4_000, token: await fleet.token('backend', 'service') };
  const request = { appCode: fleetApp, roomId: room, userId };
  return untilAnswered(`guard ${room}`, () => client.queries.guardUser(request, options));
}

/** Reads that a cell was ever asked for. */
function readsOf(cell: RoleProcess): Promise<number> {
  return counterOf(cell, 'cell_reads_total');
}

async function ownedBy(node: string, room: string): Promise<void> {
  await waitUntil(
    `${node} owns ${room}`,
    async () => (await owners(fleet)).get(partitionOfRoom(room)) === node,
    { limitMs: 60_000, everyMs: 100 },
  );
}

describe('with two cells', () => {
  it('reads go to the owner, whichever cell is asked, and a forwarded one no further (LEASE-11, TST-14)', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const [atA, atB] = [await addressOf('cell-a'), await addressOf('cell-b')];
    const room = roomOf(map, 'cell-b', 'both');
    const play = new RoomPlayer(fleet, client, room);
    await play.create('c1');
    await play.join('j1', 'u1');
    expect(await reasonOf(askCell(atB, room, ''))).toBe('answered version 2');
    expect(await reasonOf(askCell(atA, room, ''))).toBe('answered version 2');
    // As it arrives when an address leads to a balancer: whoever gets it answers, and asks nobody.
    const before = await readsOf(cellB);
    const further = askCell(atA, room, 'cell-c');
    await expect(further).rejects.toMatchObject({
      reason: 'NOT_OWNER',
      facts: { owner: 'cell-b' },
    });
    expect(await readsOf(cellB)).toBe(before);

    const options = { timeoutMs: 10_000, token: await fleet.token('u1') };
    const place = { appCode: fleetApp, roomId: room };
    const { snapshot } = await client.queries.getRoomSnapshot(
      { ...place, consistency: Consistency.OWNER },
      options,
    );
    expect(snapshot).toMatchObject({ roomVersion: 2n, me: { present: true } });
    const { users } = await client.queries.listAudience(place, options);
    expect(users.map(({ user }) => user?.userId)).toEqual(['u1']);
    const { rooms } = await client.queries.getUserRooms({ appCode: fleetApp }, options);
    expect(rooms.map(({ roomId }) => roomId)).toEqual([room]);
    expect(await guard(room, 'u1')).toMatchObject({ allowed: true, roomVersion: 2n });
    await play.close('x1');
    expect(await guard(room, 'u1')).toMatchObject({ allowed: false, reason: 'ROOM_CLOSED' });
  });

  it('a frozen owner, thawed after a takeover, does not answer from what it remembers', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const atA = await addressOf('cell-a');
    const room = roomOf(map, 'cell-a', 'frozen');
    const play = new RoomPlayer(fleet, client, room);
    await play.create('c1');
    await play.join('j1', 'u1');
    const before = await guard(room, 'u1');
    expect(before).toMatchObject({ allowed: true, roomVersion: 2n });
    cellA.freeze();
    await ownedBy('cell-b', room);
    await play.leave('l1', 'u1');
    // Asked while it sleeps, and answered with its first steps.
    const asked = askCell(atA, room, 'cell-c', { kind: 'guard', userId: 'u1' as UserId });
    const asleep = reasonOf(asked);
    cellA.thaw();
    expect(['NOT_OWNER', 'UNAVAILABLE']).toContain(await asleep);
    const after = await guard(room, 'u1');
    expect(after).toMatchObject({ allowed: false, reason: 'USER_NOT_PRESENT', roomVersion: 3n });
    expect(after.ownerEpoch).toBeGreaterThan(before.ownerEpoch);
    await bothOwn(fleet, 'cell-a', 'cell-b');
  });

  it('when the owner is killed the read goes to the next, with all that was acknowledged', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const room = roomOf(map, 'cell-b', 'killed');
    const play = new RoomPlayer(fleet, client, room);
    await play.create('c1');
    for (const user of ['u1', 'u2', 'u3']) await play.join(`j-${user}`, user);
    const before = await guard(room, 'u3');
    await cellB.kill();
    const after = await guard(room, 'u3');
    expect(after).toMatchObject({ allowed: true, roomVersion: 4n });
    expect(after.ownerEpoch).toBeGreaterThan(before.ownerEpoch);
    expect((await owners(fleet)).get(partitionOfRoom(room))).toBe('cell-a');
    expect((await cellA.terminate()).code).toBe(0);
  });
});
