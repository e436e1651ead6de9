/** Coming and going of partitions, on the memory twins. */
import { describe, expect, it } from 'vitest';
import { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

function partitionOfRoom(rig: CellRig, room: string): number {
  return partitionOf(roomKeyOf(rigApp, room as RoomId), rig.partitionCount);
}

describe('a partition whose log does not fit what was applied', () => {
  it('stands still as GAP when records below the log’s start were never applied', async () => {
    const rig = new CellRig(4);
    const partition = partitionOfRoom(rig, 'r1');
    const id = rig.send('r1', 'c1', 'u1', createRoomBody());
    rig.topic.truncateBelow(partition, 5n);
    const others = [0, 1, 2, 3].filter((other) => other !== partition);
    const node = await rig.startNode('a', { assign: others });
    node.source.assign([0, 1, 2, 3]);
    await eventually('the stop is named', () => node.cell.stops().get(partition) === 'GAP');
    expect(node.replies.byCorrelation.has(id)).toBe(false);
    expect(node.cell.readiness().ready).toBe(true);
  });

  it('stands still as TOPIC_CHANGED when the log ends below what was applied', async () => {
    const rig = new CellRig(1);
    const first = await rig.startNode('a');
    for (const n of [1, 2, 3])
      await rig.result(first, rig.send(`r${n}`, 'c1', 'u1', createRoomBody()));
    first.source.assign([]);
    rig.topic.records.clear();
    const second = await rig.startNode('b', { assign: [] });
    second.source.assign([0]);
    await eventually('the stop is named', () => second.cell.stops().get(0) === 'TOPIC_CHANGED');
    expect(rig.database.log.size).toBe(3);
  });

  it('stops while running when the source meets the log’s edge, and executes nothing more', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    rig.topic.truncateBelow(0, 9n);
    node.source.reportOutOfRange(0, 1n);
    expect(node.cell.stops().get(0)).toBe('GAP');
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody());
    const untilMs = performance.now() + 200;
    await eventually('some turns pass', () => performance.now() > untilMs);
    expect(node.replies.byCorrelation.has(id)).toBe(false);
    expect(rig.database.log.size).toBe(1);
  });

  it('is not stopped by a report about an opening that was lost: the takeover judges anew', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    // Somebody else takes the partition over; this node notices by its fence and will come back.
    const row = rig.database.owners.get(0);
    if (row === undefined) throw new Error('partition 0 has no owner row');
    Object.assign(row, { epoch: row.epoch + 1n, incarnation: 'inc-b', released: true });
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody());
    await eventually('fenced', () => node.cell.ownedPartitions().length === 0);
    node.source.reportOutOfRange(0, 1n);
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    expect(node.cell.stops().size).toBe(0);
  });
});

describe('a node that was frozen and thrown out of the group', () => {
  it('comes back to a partition that it lost while it was frozen, though the group gave it the same ones', async () => {
    const rig = new CellRig(2);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const partition = partitionOfRoom(rig, 'r1');
    const row = rig.database.owners.get(partition);
    if (row === undefined) throw new Error('the partition has no owner row');
    const kept = node.cell.ownedPartitions().find(({ id }) => id !== partition);
    // Somebody else took it over and gave it up again. Nothing is written there: no fence speaks up.
    const lostEpoch = row.epoch + 1n;
    Object.assign(row, { epoch: lostEpoch, incarnation: 'inc-b', released: true });
    node.source.assign([0, 1]);
    await eventually('taken over anew', () =>
      node.cell.ownedPartitions().some(({ id, epoch }) => id === partition && epoch > lostEpoch),
    );
    // The one that is still its own is left alone.
    expect(node.cell.ownedPartitions()).toContainEqual(kept);
    expect(rig.database.owners.get(partition)?.incarnation).not.toBe('inc-b');
  });

  it('cannot leave a partition to nobody that it took by an old assignment and gave up again', async () => {
    const rig = new CellRig(1);
    const idle = await rig.startNode('a');
    await rig.result(idle, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const row = rig.database.owners.get(0);
    if (row === undefined) throw new Error('the partition has no owner row');
    // The group has nothing new to say to the owner, and nothing is written there.
    const lostEpoch = row.epoch + 1n;
    Object.assign(row, { epoch: lostEpoch, incarnation: 'inc-b', released: true });
    await eventually('taken back', () => {
      rig.time.advance(1_000);
      return idle.cell.ownedPartitions().some(({ epoch }) => epoch > lostEpoch);
    });
    expect(rig.database.owners.get(0)).toMatchObject({ released: false });
  });
});

describe('the wait for the mark of a former owner', () => {
  /** A partition that `a` had and has not given up yet, and `b`, to which the group gives it. */
  async function waiting(releaseMarkWaitMs = 60_000) {
    const rig = new CellRig(1);
    const a = await rig.startNode('a');
    await rig.result(a, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const b = await rig.startNode('b', { assign: [], options: { releaseMarkWaitMs } });
    const beganMonoMs = rig.time.monoMs();
    return { rig, a, b, waitedMs: () => rig.time.monoMs() - beganMonoMs };
  }

  it('ends with the hint that the mark is set, without another look by the clock', async () => {
    const { rig, a, b } = await waiting();
    // Only a hint goes on from here: the looks by the clock are a minute away.
    const sleeps: number[] = [];
    const { time } = rig;
    const sleep = time.sleep.bind(time);
    time.sleep = (ms) => (ms === 50 ? new Promise(() => void sleeps.push(ms)) : sleep(ms));
    b.source.assign([0]);
    await eventually('it waits', () => sleeps.length > 0);
    expect(b.cell.ownedPartitions()).toEqual([]);
    a.source.assign([]);
    await eventually('marked', () => rig.database.owners.get(0)?.released === true);
    time.advance(3);
    await eventually('taken over', () => b.cell.ownedPartitions().length === 1);
    expect(sleeps).toHaveLength(1);
  });

  it('ends without any hint, too', async () => {
    const { rig, a, b } = await waiting();
    rig.handOver.loses = true;
    b.source.assign([0]);
    await eventually('it waits', () => rig.time.monoMs() > 0);
    a.source.assign([]);
    await eventually('taken over', () => b.cell.ownedPartitions().length === 1);
  });

  it('is bounded, and a hint about something else does not end it', async () => {
    const { rig, b, waitedMs } = await waiting(500);
    b.source.assign([0]);
    rig.handOver.open().hint();
    rig.time.advance(3);
    await eventually('taken over', () => b.cell.ownedPartitions().length === 1);
    expect(waitedMs()).toBeGreaterThanOrEqual(500);
  });
});

describe('a planned move', () => {
  it('marks a partition that the group took away as released, so that the successor need not wait', async () => {
    const rig = new CellRig(2);
    const a = await rig.startNode('a');
    await rig.result(a, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const partition = partitionOfRoom(rig, 'r1');
    a.source.assign([0, 1].filter((id) => id !== partition));
    await eventually('released', () => rig.database.owners.get(partition)?.released === true);
    const b = await rig.startNode('b', { assign: [partition] });
    const joined = await rig.result([b], rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(joined).toMatchObject({ outcome: 'applied', roomVersion: 2n });
    expect(a.cell.ownedPartitions().map(({ id }) => id)).not.toContain(partition);
  });

  it.each([
    ['when the group takes it away', (a: RigNode) => void a.source.assign([])],
    ['when a drain runs out of time', (a: RigNode) => void a.cell.drain(0)],
  ])('is marked as given up only when its transaction is through, %s', async (_when, give) => {
    const rig = new CellRig(1);
    const commit = createDeferred<void>();
    let isHeld = false;
    let begun = 0;
    const a = await rig.startNode('a', {
      gate: (port) => {
        if (!('commit' in port)) return port;
        const lane = port as unknown as CommitLane;
        const slow: CommitLane = {
          async commit(batch, gate) {
            begun += 1;
            if (isHeld) await commit.promise;
            return lane.commit(batch, gate);
          },
          settle: (batch) => lane.settle(batch),
          stop: () => lane.stop(),
        };
        return slow as unknown as typeof port;
      },
    });
    await rig.result(a, rig.send('r1', 'c1', 'u1', createRoomBody()));
    isHeld = true;
    const before = begun;
    const inHand = rig.send('r1', 'j1', 'u2', joinRoomBody());
    await eventually('the transaction is on its way', () => begun > before);
    give(a);
    await eventually('it is given up', () => a.cell.ownedPartitions().length === 0);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
    expect(rig.database.owners.get(0)).toMatchObject({ released: false });
    commit.resolve();
    // What was in hand counts, and its caller hears it from the node that did it.
    expect(await rig.result(a, inHand)).toMatchObject({ outcome: 'applied', replayed: false });
    await eventually('released', () => rig.database.owners.get(0)?.released === true);
  });

  it('a drain takes no new command, answers what is in hand and gives leases and partitions back (LEASE-21, LEASE-34, DRAIN-1, SVC-26, TST-13)', async () => {
    const rig = new CellRig(2);
    const a = await rig.startNode('a');
    const first = rig.send('r1', 'c1', 'u1', createRoomBody());
    await rig.reply(a, first);
    expect(rig.keys.held.size).toBe(1);
    await a.cell.drain(5_000);
    expect(rig.keys.held.size).toBe(0);
    expect([...rig.database.owners.values()].every(({ released }) => released)).toBe(true);
    const late = rig.send('r1', 'j1', 'u2', joinRoomBody());
    const b = await rig.startNode('b');
    expect(await rig.result([b], late)).toMatchObject({ outcome: 'applied', roomVersion: 2n });
    expect(a.replies.byCorrelation.has(late)).toBe(false);
  });

  it('a drain that is asked for again, and twice at once, is harmless (DRAIN-2)', async () => {
    const rig = new CellRig(2);
    const a = await rig.startNode('a');
    await rig.reply(a, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await Promise.all([a.cell.drain(5_000), a.cell.drain(5_000)]);
    await a.cell.drain(5_000);
    expect(rig.keys.held.size).toBe(0);
    expect([...rig.database.owners.values()].every(({ released }) => released)).toBe(true);
    expect(a.cell.readiness().reasons).toContain('DRAINING');
    expect(a.fatal).toEqual([]);
  });

  it('a drain in the midst of a takeover gives the partition back that it has just got (LEASE-22, DRAIN-1)', async () => {
    const rig = new CellRig(1);
    const drains: Promise<void>[] = [];
    const node: RigNode = await rig.startNode('a', {
      assign: [],
      onTrace: (point) => {
        if (point === 'cell.takeover_done') drains.push(node.cell.drain(5_000));
      },
    });
    node.source.assign([0]);
    await eventually('the drain begins', () => drains.length > 0);
    await Promise.all(drains);
    expect(node.cell.ownedPartitions()).toEqual([]);
    expect(rig.database.owners.get(0)).toMatchObject({ epoch: 1n, released: true });
  });

  it('a drain brings no room into memory for its deadline: that is the next owner’s (LEASE-22)', async () => {
    const rig = new CellRig(1);
    const first = await rig.startNode('first');
    await rig.result(first, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(first, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    await rig.result(first, rig.send('r1', 'm1', 'u1', { type: 'MicUp', seatNo: 3 }));
    await first.cell.drain(5_000);
    const rooms = new MemoryRoomReader(rig.database);
    const lane = new MemoryCommitLane(rig.database);
    const partitions = new MemoryPartitionStore(rig.database);
    const snapshots = new MemorySnapshotStore(rig.database);
    const a = await rig.startNode('a', { stores: { rooms, lane, partitions, snapshots } });
    const loaded: string[] = [];
    const load = rooms.loadRoom.bind(rooms);
    rooms.loadRoom = (key) => {
      loaded.push(key);
      return load(key);
    };
    // Something stays in hand, so that the drain waits while the deadline passes.
    rig.send('r2', 'c1', 'u1', createRoomBody());
    lane.faults.push(...Array.from({ length: 400 }, () => ({ kind: 'unavailable' as const })));
    await eventually('the batch is met', () => a.cell.readiness().reasons.includes('DB_DOWN'));
    const drained = a.cell.drain(60_000);
    for (let looks = 1; looks <= 10; looks += 1) {
      rig.time.advance(2_000);
      await rig.time.sleep(0);
    }
    await drained;
    expect(loaded).toEqual([roomKeyOf(rigApp, 'r2' as RoomId)]);
  });
});

describe('the offset in Kafka', () => {
  it('follows a commit that happens while the hint before is stored', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const store = node.source.commitHint.bind(node.source);
    let joined: Promise<unknown> | null = null;
    node.source.commitHint = async (offsets) => {
      joined ??= rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
      await joined;
      await store(offsets);
    };
    await eventually('the hint reaches the end', () => {
      rig.time.advance(1_000);
      return node.source.hints.some(({ offsetNext }) => offsetNext === 2n);
    });
  });
});

describe('heartbeats', () => {
  it('never create presence, and tell who is not present (PRES-13)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    const id = rig.sendHeartbeats(0, [
      ['r1', 'u1'],
      ['r1', 'u2'],
      ['r9', 'u1'],
    ]);
    expect(await rig.reply(node, id)).toMatchObject({
      kind: 'heartbeats',
      notPresent: [1],
      notActive: [2],
    });
    expect(rig.database.log.size).toBe(2);
  });

  it('move the applied offset on without a commit of their own, by the flush', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1']]));
    expect(rig.database.owners.get(0)?.appliedOffset).toBe(-1n);
    await eventually('the offset is flushed', () => {
      rig.time.advance(1_000);
      return rig.database.owners.get(0)?.appliedOffset === 0n;
    });
  });
});
