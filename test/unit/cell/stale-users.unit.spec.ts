/** Users and mic sessions whose heartbeats ceased are taken out; nobody else ever is. */
import { describe, expect, it } from 'vitest';
import type { MicSessionId } from '../../../src/domain/ids.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import { CellRig, createRoomBody, joinRoomBody, type RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** The rig's silence after which a user is stale, and the pace of the looks that follow from it. */
const staleAfterMs = 120_000;
const tickMs = 10_000;

/** Lets time pass in steps short enough for the looks, with turns for what they begin. */
async function pass(rig: CellRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    rig.time.advance(1_000);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  }
}

/** A room with an owner and the given users in it. */
async function roomWith(
  rig: CellRig,
  node: RigNode,
  users: readonly string[],
  room = 'r1',
): Promise<void> {
  await rig.result(node, rig.send(room, `${room}-c`, 'owner', createRoomBody()));
  for (const user of users) {
    await rig.result(node, rig.send(room, `${room}-j-${user}`, user, joinRoomBody()));
  }
}

/** Hears the users every half window, as long as time passes. */
async function passHearing(
  rig: CellRig,
  node: RigNode,
  ms: number,
  users: readonly (readonly [string, string])[],
): Promise<void> {
  for (let passed = 0; passed < ms; passed += staleAfterMs / 4) {
    if (users.length > 0) await rig.reply(node, rig.sendHeartbeats(0, users));
    await pass(rig, staleAfterMs / 4);
  }
}

/** Brings a user up to a seat where it publishes; answers the session. */
async function publishing(
  rig: CellRig,
  node: RigNode,
  user: string,
  seatNo: number,
): Promise<MicSessionId> {
  const up = await rig.result(node, rig.send('r1', `m-${user}`, user, { type: 'MicUp', seatNo }));
  const { micSessionId } = up.fields;
  if (micSessionId === undefined) throw new Error('MicUp answered no session');
  const confirm = { type: 'ConfirmMicPublishing', micSessionId } as const;
  await rig.result(node, rig.send('r1', `p-${user}`, user, confirm));
  return micSessionId;
}

function presentUsers(node: RigNode, room = 'r1'): string[] {
  const state = node.cell.committedRooms().find(({ roomId }) => roomId === room);
  return [...(state?.users.values() ?? [])].map(({ userId }) => userId).sort();
}

function systemIds(rig: CellRig): string[] {
  const ids = [...rig.database.log.values()].map(({ commandId }) => commandId as string);
  return ids.filter((id) => id.startsWith('sys:'));
}

describe('a user who is heard of no more', () => {
  it('is taken out after the silence allowed, seat first, and those who are heard of stay (PRES-17, PRES-4, SVC-5, WRK-2)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1', 'u2']);
    await publishing(rig, node, 'u2', 3);
    await passHearing(rig, node, staleAfterMs + 60_000, [['r1', 'u1']]);
    expect(presentUsers(node)).toEqual(['u1']);
    const sweeps = systemIds(rig).filter((id) => id.startsWith('sys:presence-stale:'));
    expect(sweeps).toHaveLength(1);
    const last = [...rig.database.events.values()].slice(-2).map(({ eventType }) => eventType);
    expect(last).toEqual(['RoomMicDown', 'RoomUsersStaleLeft']);
  });

  it('is not taken out before the intake was live for so long', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    await pass(rig, staleAfterMs - 1_000);
    expect(presentUsers(node)).toEqual(['u1']);
  });

  it('is a robot: robots send no heartbeats and stay', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, []);
    const robot = { ...joinRoomBody(), isRobot: true };
    await rig.result(node, rig.send('r1', 'j1', 'robot', robot, { role: 'service' }));
    await pass(rig, 3 * staleAfterMs);
    expect(presentUsers(node)).toEqual(['robot']);
    expect(rig.database.rooms.get('app1\0r1' as never)?.nextSweepMs).toBeNull();
  });

  it('and joins again is heard of, though the room has not changed', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    await pass(rig, staleAfterMs - 10_000);
    const again = await rig.result(node, rig.send('r1', 'j2', 'u1', joinRoomBody()));
    expect(again.outcome).toBe('no_effect');
    await pass(rig, staleAfterMs - 20_000);
    expect(presentUsers(node)).toEqual(['u1']);
    await pass(rig, 40_000);
    expect(presentUsers(node)).toEqual([]);
  });

  it('goes with 200 others at most in one command; the rest follow', async () => {
    const rig = new CellRig(1);
    const options = {
      limits: { usersPerRoomMax: 500, eventsPerCommandMax: 500, giftRankMax: 20 },
      roomQueueMax: 1_000,
      partitionHighWater: 1_000,
    };
    const node = await rig.startNode('a', { options });
    await rig.result(node, rig.send('r1', 'c', 'owner', createRoomBody()));
    const ids = Array.from({ length: 250 }, (_, n) =>
      rig.send('r1', `j${n}`, `u${n}`, joinRoomBody()),
    );
    await Promise.all(ids.map((id) => rig.result(node, id)));
    await pass(rig, staleAfterMs + 3 * tickMs);
    const swept = [...rig.database.events.values()].filter(
      ({ eventType }) => eventType === 'RoomUsersStaleLeft',
    );
    expect(swept).toHaveLength(2);
    expect(presentUsers(node)).toEqual([]);
    expect(rig.database.userRooms.size).toBe(0);
  });
});

describe('a heartbeat that meets the sweep', () => {
  it('wins when it lands after the scan that named its user (PRES-19, TST-7)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    const lane = node.memoryLane;
    if (lane === null) throw new Error('the rig runs on another store');
    const commit = lane.commit.bind(lane);
    let met = 0;
    lane.commit = async (batch, gate) => {
      if (!batch.logRows.some(({ commandId }) => commandId.startsWith('sys:'))) {
        return commit(batch, gate);
      }
      // The sweep was decided on the silence; before its COMMIT the user is heard, and the
      // transaction has to be done again.
      met += 1;
      if (met === 1) await rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1']]));
      return met === 1 ? { kind: 'conflict', cause: 'by the test' } : commit(batch, gate);
    };
    await pass(rig, staleAfterMs + 3 * tickMs);
    expect(met).toBe(1);
    expect(presentUsers(node)).toEqual(['u1']);
  });
});

describe('a sweep that waits for the database', () => {
  it('is not queued again by the looks that find the same users meanwhile', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { batchCommandsMax: 1 } });
    await roomWith(rig, node, ['u1']);
    const lane = node.memoryLane;
    if (lane === null) throw new Error('the rig runs on another store');
    const commit = lane.commit.bind(lane);
    let isOut = true;
    let commits = 0;
    lane.commit = (batch, gate) => {
      if (!isOut) commits += 1;
      if (!isOut || batch.logRows.length === 0) return commit(batch, gate);
      return Promise.resolve({ kind: 'unavailable', cause: 'by the test' });
    };
    await pass(rig, staleAfterMs + 10 * tickMs);
    expect(presentUsers(node)).toEqual(['u1']);
    isOut = false;
    await pass(rig, tickMs);
    expect(presentUsers(node)).toEqual([]);
    // The sweep itself, and the flush of an offset at most.
    expect(commits).toBeLessThanOrEqual(2);
  });
});

describe('a stall of the intake', () => {
  it('by an outage of Kafka gives everybody a fresh window afterwards', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    await pass(rig, staleAfterMs - 20_000);
    const range = node.source.logRange.bind(node.source);
    node.source.logRange = () => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'by the test'));
    await pass(rig, 10 * staleAfterMs);
    expect(presentUsers(node)).toEqual(['u1']);
    node.source.logRange = range;
    await pass(rig, staleAfterMs - 10_000);
    expect(presentUsers(node)).toEqual(['u1']);
    await pass(rig, 60_000);
    expect(presentUsers(node)).toEqual([]);
  });

  it('by a short outage of Kafka counts, too: heartbeats were lost meanwhile', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    await pass(rig, staleAfterMs - 20_000);
    const range = node.source.logRange.bind(node.source);
    node.source.logRange = () => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'by the test'));
    await pass(rig, tickMs);
    node.source.logRange = range;
    await pass(rig, staleAfterMs - 10_000);
    expect(presentUsers(node)).toEqual(['u1']);
    await pass(rig, 60_000);
    expect(presentUsers(node)).toEqual([]);
  });

  it('by a paused partition lets the heartbeats that wait in the topic speak first', async () => {
    const rig = new CellRig(1);
    // The test stops the delivery behind the cell's back, for longer than a consumer may be silent.
    const node = await rig.startNode('a', { options: { consumerSilentAfterMs: 3_600_000 } });
    await roomWith(rig, node, ['u1', 'u2']);
    node.source.pause(0);
    rig.sendHeartbeats(0, [['r1', 'u1']]);
    await pass(rig, 10 * staleAfterMs);
    expect(presentUsers(node)).toEqual(['u1', 'u2']);
    node.source.resume(0);
    await passHearing(rig, node, staleAfterMs - 30_000, [['r1', 'u1']]);
    expect(presentUsers(node)).toEqual(['u1', 'u2']);
    await passHearing(rig, node, 90_000, [['r1', 'u1']]);
    expect(presentUsers(node)).toEqual(['u1']);
  });

  it('by an outage of MySQL holds the sweep that was under way, and judges it anew', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    const lane = node.memoryLane;
    if (lane === null) throw new Error('the rig runs on another store');
    const commit = lane.commit.bind(lane);
    let isOut = false;
    lane.commit = async (batch, gate) => {
      if (batch.logRows.some(({ commandId }) => commandId.startsWith('sys:'))) isOut = true;
      if (!isOut) return commit(batch, gate);
      // A heartbeat waits in the topic behind a command that waits for the database.
      return { kind: 'unavailable', cause: 'by the test' };
    };
    await pass(rig, staleAfterMs + 3 * tickMs);
    expect(isOut).toBe(true);
    const waiting = rig.send('r1', 'j2', 'u2', joinRoomBody());
    await pass(rig, 20 * tickMs);
    lane.commit = commit;
    await rig.result(node, waiting);
    expect(presentUsers(node)).toEqual(['u1', 'u2']);
  });

  it('by a frozen process counts as one although nobody looked meanwhile', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await roomWith(rig, node, ['u1']);
    await pass(rig, staleAfterMs - 30_000);
    // All clocks go on and no timer of the process runs.
    await rig.time.sleep(5 * staleAfterMs);
    await pass(rig, staleAfterMs - 10_000);
    expect(presentUsers(node)).toEqual(['u1']);
    await pass(rig, 60_000);
    expect(presentUsers(node)).toEqual([]);
  });
});

describe('another owner', () => {
  it('gives everybody a fresh window, and sweeps rooms that nobody asks for (PRES-22, LEASE-17)', async () => {
    const rig = new CellRig(1);
    const a = await rig.startNode('a');
    await roomWith(rig, a, ['u1']);
    await pass(rig, staleAfterMs - 10_000);
    const b = await rig.startNode('b', { assign: [] });
    a.source.assign([]);
    b.source.assign([0]);
    await eventually('b owns the partition', () => b.cell.ownedPartitions().length === 1);
    // Not in memory: nobody sends anything. Its row says when to look.
    await pass(rig, staleAfterMs);
    expect(presentUsers(b)).toEqual(['u1']);
    await pass(rig, staleAfterMs);
    expect(presentUsers(b)).toEqual([]);
    expect(systemIds(rig)).toHaveLength(1);
  });
});

describe('a room that left memory with users in it', () => {
  it('comes back when its row says so, and its users have not become fresh by that', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { residentRoomsMax: 2 } });
    await roomWith(rig, node, ['u1']);
    await pass(rig, staleAfterMs / 2);
    for (const other of ['r2', 'r3', 'r4']) await roomWith(rig, node, [], other);
    expect(presentUsers(node)).toEqual([]);
    // Somebody stays alive elsewhere, so that the intake is looked at all the time.
    await rig.result(node, rig.send('r4', 'j', 'alive', joinRoomBody()));
    await passHearing(rig, node, staleAfterMs + 30_000, [['r4', 'alive']]);
    expect(systemIds(rig)).toEqual(['sys:presence-stale:3']);
    expect(rig.database.rooms.get('app1\0r1' as never)?.nextSweepMs).toBeNull();
  });
});

describe('a mic session that used to send heartbeats', () => {
  it('is taken down when they cease, while its user is heard of; one that never sent any is not', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', {
      options: { presenceStaleAfterMs: 600_000 },
    });
    await roomWith(rig, node, ['u1', 'u2']);
    const session = await publishing(rig, node, 'u1', 1);
    await publishing(rig, node, 'u2', 2);
    await rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1', session]]));
    await pass(rig, 90_000);
    const room = node.cell.committedRooms()[0];
    expect(room?.seats.map(({ occupancy }) => occupancy?.userId ?? null).slice(0, 2)).toEqual([
      null,
      'u2',
    ]);
    expect(presentUsers(node)).toEqual(['u1', 'u2']);
    expect(systemIds(rig)).toEqual([expect.stringMatching(/^sys:mic-stale:/)]);
  });
});
