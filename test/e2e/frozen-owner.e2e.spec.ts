/**
 * A frozen owner with an open transaction: its partitions are taken over, its late COMMIT changes
 * nothing, it drops its rooms; and a takeover never ends a healthy node's connection.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type FleetClient } from './support/fleet.ts';
import { counterOf } from './support/observe.ts';
import { bothOwn, roomOf } from './support/ownership.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';
import { writerLockName } from '../../src/protocol/lock-name.ts';

/** Commands at the owner when it freezes. */
const inHand = 20;

let fleet: Fleet;
let client: FleetClient;
let gateway: RoleProcess;

beforeAll(async () => {
  fleet = await Fleet.open('frozen');
  gateway = await fleet.start('gateway-1', ['gateway']);
  await gateway.ready();
  client = fleet.connect(gateway);
});
afterAll(async () => {
  await fleet.close();
});

describe('with two cells', () => {
  it('a frozen owner is taken over; thawed, its late commit changes nothing and it drops its rooms (LEASE-25, LEASE-31, TST-1, A1)', async () => {
    const frozen = await fleet.start('cell-a', ['cell'], {
      // Frozen with the first packet answered and the rows locked: the worst moment.
      faultAt: {
        point: 'cell.packet_answered_before_commit',
        pass: 1,
        action: 'stop',
        armedBy: 'freeze',
      },
    });
    const healthy = await fleet.start('cell-b', ['cell']);
    await frozen.ready();
    await healthy.ready();
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const lost = roomOf(map, 'cell-a', 'lost');
    const kept = roomOf(map, 'cell-b', 'kept');
    const playLost = new RoomPlayer(fleet, client, lost);
    const playKept = new RoomPlayer(fleet, client, kept);
    await playLost.create('c1');
    await playKept.create('c1');
    const laneOfHealthy = await laneConnections();
    fleet.arm('freeze');
    // The first is in the open transaction; the others are in hand, or lie behind it on the topic.
    const users = Array.from({ length: inHand }, (_, n) => `u${n + 1}`);
    const joining = users.map((user) => playLost.join(`j-${user}`, user));
    // The healthy node serves its own rooms while the other one's are being taken over.
    await playKept.join('j1', 'u1');
    const joined = await Promise.all(joining);
    const versions = joined.map(({ roomVersion }) => roomVersion).sort((x, y) => Number(x - y));
    expect(versions).toEqual(users.map((_, n) => BigInt(n) + 2n));
    frozen.thaw();
    await frozen.logged('it is fenced or lost its partitions', (line) =>
      /fenced|partition lost|assignment/.test(String(line['msg'])),
    );
    const after = await playLost.leave('l1', 'u1');
    expect(after).toMatchObject({ applied: true, roomVersion: BigInt(inHand) + 2n });
    const log = await fleet.sql(
      'SELECT command_id, applied_version, owner_node_id, epoch FROM room_command_log ' +
        'WHERE room_id = ? ORDER BY applied_version',
      [lost],
    );
    expect(log.map((row) => String(row['applied_version']))).toEqual(
      Array.from({ length: inHand + 2 }, (_, n) => String(n + 1)),
    );
    expect(new Set(log.map((row) => String(row['command_id']))).size).toBe(inHand + 2);
    const epochs = log.map((row) => BigInt(String(row['epoch'])));
    expect(epochs).toEqual([...epochs].sort((x, y) => (x < y ? -1 : 1)));
    expect(log[1]?.['owner_node_id']).toBe('cell-b');
    // The healthy lane's connection is the one it had before: nobody ended it.
    const stillThere = await laneConnections();
    const healthyIds = laneOfHealthy.filter((id) => stillThere.includes(id));
    expect(healthyIds.length).toBeGreaterThan(0);
    expect(healthy.lines.filter((line) => String(line['msg']).includes('fenced'))).toEqual([]);
    // No call was answered a second time by the one that was late.
    expect(await counterOf(gateway, 'gateway_replies_dropped_total', 'why="double"')).toBe(0);
    // And whoever comes next goes on where its predecessor was, whatever Kafka has stored meanwhile.
    expect((await healthy.terminate()).code).toBe(0);
    const last = await playLost.join('again', 'u1');
    expect(last).toMatchObject({ applied: true, roomVersion: BigInt(inHand) + 3n });
    expect((await frozen.terminate()).code).toBe(0);
  });
});

/** Connections that hold a lane's lock: the server names a lock's holder, and locks are `rc:…`. */
async function laneConnections(): Promise<string[]> {
  const rows = await fleet.sql(
    'SELECT owner_node_id, incarnation, lane FROM partition_owner GROUP BY 1, 2, 3',
  );
  const found: string[] = [];
  for (const row of rows) {
    const name = writerLockName(
      fleet.space.mysql.database,
      String(row['incarnation']),
      Number(row['lane']),
    );
    const held = await fleet.sql('SELECT IS_USED_LOCK(?) AS id', [name]);
    const id = held[0]?.['id'] as string | number | null | undefined;
    if (id !== null && id !== undefined && row['owner_node_id'] === 'cell-b') found.push(`${id}`);
  }
  return found;
}
