/**
 * Work of one partition that never comes to its end (the second run of bug case A2). Every call that a cell
 * waits for has a limit, so there is no handler to hang; what remains is a commit that can never be made,
 * because somebody holds the partition's owner row and does not let go.
 */
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicNames } from '../../src/protocol/topics.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, type FleetClient } from './support/fleet.ts';
import { logOf } from './support/observe.ts';
import { partitionOfRoom, roomWhere } from './support/ownership.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

/** By then health must name the partition, and its age must show for how long. */
const namedWithinMs = 10_000;
/** So long nothing goes on there, with every sign that it does not. */
const stuckMs = 4_000;

let fleet: Fleet;
let client: FleetClient;
let cell: RoleProcess;
let holder: mysql.Connection;

beforeAll(async () => {
  fleet = await Fleet.open('stuck');
  const gateway = await fleet.start('gateway-1', ['gateway']);
  cell = await fleet.start('cell-a', ['cell']);
  await Promise.all([gateway.ready(), cell.ready()]);
  client = fleet.connect(gateway);
  holder = await mysql.createConnection({ ...fleet.space.mysql });
});
afterAll(async () => {
  holder.destroy();
  await fleet.close();
});

interface PartitionHealth {
  readonly partition: number;
  readonly state: string;
  readonly progressAgeMs: number;
}

async function healthOf(partition: number): Promise<PartitionHealth | undefined> {
  const answer = await fetch(`http://127.0.0.1:${cell.opsPort}/partitions`);
  const { partitions } = (await answer.json()) as { readonly partitions: PartitionHealth[] };
  return partitions.find((each) => each.partition === partition);
}

describe('a partition whose commit can never be made', () => {
  it('is named by health within ten seconds, the others go on, and so does it when it may (A2)', async () => {
    const stuck = roomWhere('stuck', () => true);
    const partition = partitionOfRoom(stuck);
    const free = roomWhere('free', (other) => other !== partition);
    const [playStuck, playFree] = [stuck, free].map((room) => new RoomPlayer(fleet, client, room));
    await playStuck?.create('c1');
    await playFree?.create('c1');
    await holder.query('BEGIN');
    // By its whole key: a search by less would hold the rows of all partitions.
    await holder.query(
      'SELECT epoch FROM partition_owner WHERE topic = ? AND partition_id = ? FOR UPDATE',
      [topicNames(fleet.space.topic('room')).commands, partition],
    );
    const heldMs = performance.now();
    const waiting = playStuck?.join('j1', 'u1');
    const named = await waitUntil(
      'health says that the partition stands',
      async () => {
        const health = await healthOf(partition);
        return health?.state === 'FENCE_BUSY' && health.progressAgeMs >= stuckMs ? health : null;
      },
      { limitMs: 3 * namedWithinMs, everyMs: 100 },
    );
    expect(performance.now() - heldMs).toBeLessThan(namedWithinMs);
    // The others are as quick as ever, while that one stands.
    const joined = await playFree?.join('j1', 'u1');
    expect(joined).toMatchObject({ applied: true, roomVersion: 2n });
    expect((await healthOf(partitionOfRoom(free)))?.state).toBe('RUNNING');
    expect((await healthOf(partition))?.progressAgeMs).toBeGreaterThan(named.progressAgeMs);
    expect(await logOf(fleet, stuck)).toHaveLength(1);
    await holder.query('ROLLBACK');
    expect(await waiting).toMatchObject({ applied: true, roomVersion: 2n });
    await waitUntil(
      'the partition gets on',
      async () => (await healthOf(partition))?.state === 'RUNNING',
    );
    expect(await logOf(fleet, stuck)).toHaveLength(2);
    expect((await cell.terminate()).code).toBe(0);
  });
});
