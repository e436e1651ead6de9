/** Partitions that stand still, and what operators make of them, on the memory twins. */
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryOperatorStore } from '../../../src/drivers/memory/memory-operator-store.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryPartitionStops } from '../../../src/drivers/memory/memory-partition-stops.ts';
import type { CommandId, UserId } from '../../../src/domain/ids.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { PartitionStops, StopChoice } from '../../../src/ports/partition-stops.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

let rig: CellRig;
let acts = 0;

beforeEach(() => {
  rig = new CellRig(1);
});

/** Applies CreateRoom for each room, then gives the partition up. */
async function formerOwner(rooms: readonly string[]): Promise<void> {
  const node = await rig.startNode('former');
  for (const room of rooms) {
    await rig.result(node, rig.send(room, 'c1', 'u1', createRoomBody()));
  }
  node.source.assign([]);
  await eventually('the offset is stored', () => rig.database.owners.get(0)?.released === true);
}

async function nextOwner(stops?: PartitionStops): Promise<RigNode> {
  const node = await rig.startNode('next', {
    assign: [],
    options: { offsetFlushMs: 20 },
    ...(stops === undefined ? {} : { stops }),
  });
  node.source.assign([0]);
  return node;
}

async function accept(choice: StopChoice, replayUntil = -1n): Promise<string> {
  const stop = rig.database.stops.get(0);
  if (stop === undefined) throw new Error('no stop is noted');
  return new MemoryOperatorStore(rig.database).carryOut(
    {
      appCode: rigApp,
      commandId: `op-${(acts += 1)}` as CommandId,
      operatorId: 'op' as UserId,
      type: 'AcceptState',
      partition: 0,
      state: stop.state,
      expectedOffset: stop.expectedOffset,
      choice,
      replayUntil,
    },
    rig.time.wallMs(),
  );
}

const standsAs = (node: RigNode, state: string): Promise<unknown> =>
  eventually(`stands as ${state}, for operators too`, () => {
    return node.cell.stops().get(0) === state && rig.database.stops.get(0)?.state === state;
  });
/** Time passes from look to look until the partition is owned. */
const runs = (node: RigNode): Promise<unknown> =>
  eventually('runs', () => {
    rig.time.advance(20);
    return node.cell.ownedPartitions().length === 1;
  });

describe('GAP (A3)', () => {
  it('stands until an operator lets it skip, then goes on at the log’s start', async () => {
    await formerOwner(['r1']);
    rig.send('r2', 'c1', 'u1', createRoomBody());
    const kept = rig.send('r1', 'j1', 'u2', joinRoomBody());
    rig.topic.truncateBelow(0, 2n);
    const node = await nextOwner();
    await standsAs(node, 'GAP');
    expect(rig.database.stops.get(0)).toMatchObject({ expectedOffset: 1n, logStartOffset: 2n });
    expect(await accept('skip')).toBe('done');
    await runs(node);
    expect(await rig.result(node, kept)).toMatchObject({ outcome: 'applied' });
    expect(node.cell.stops().size).toBe(0);
    expect(rig.database.stops.size).toBe(0);
    expect(rig.database.rooms.size).toBe(1);
  });

  it('goes on once, although the answer to the operator’s word was lost', async () => {
    const inner = new MemoryPartitionStops(rig.database);
    let lost = 0;
    const stops: PartitionStops = {
      note: (...stop) => inner.note(...stop),
      read: () => inner.read(),
      clear: (owner) => inner.clear(owner),
      async resolve(...how) {
        await inner.resolve(...how);
        lost += 1;
        throw new Failure('retry', 'UNAVAILABLE', 'the answer was lost');
      },
    };
    await formerOwner(['r1']);
    const kept = rig.send('r1', 'j1', 'u2', joinRoomBody());
    rig.send('r1', 'j2', 'u3', joinRoomBody());
    rig.topic.truncateBelow(0, 2n);
    const node = await nextOwner(stops);
    await standsAs(node, 'GAP');
    await accept('skip');
    await runs(node);
    expect(lost).toBe(1);
    expect(node.replies.byCorrelation.has(kept)).toBe(false);
    const next = rig.send('r1', 'j3', 'u4', joinRoomBody());
    expect(await rig.result(node, next)).toMatchObject({ outcome: 'applied' });
  });

  it('is taken up by the next owner, with the operator’s word', async () => {
    await formerOwner(['r1']);
    rig.send('r1', 'j1', 'u2', joinRoomBody());
    rig.send('r1', 'j2', 'u3', joinRoomBody());
    rig.topic.truncateBelow(0, 2n);
    const standing = await nextOwner();
    await standsAs(standing, 'GAP');
    await standing.cell.stop();
    await accept('skip');
    const node = await rig.startNode('third', { assign: [], options: { offsetFlushMs: 20 } });
    node.source.assign([0]);
    await runs(node);
  });

  it('whose log is well again when it is taken over runs, and operators read of no stop', async () => {
    await formerOwner(['r1']);
    rig.send('r1', 'j1', 'u2', joinRoomBody());
    rig.send('r1', 'j2', 'u3', joinRoomBody());
    rig.topic.truncateBelow(0, 2n);
    const node = await nextOwner();
    await standsAs(node, 'GAP');
    rig.topic.truncateBelow(0, 0n);
    node.source.assign([]);
    node.source.assign([0]);
    await runs(node);
    await eventually('the note is gone', () => rig.database.stops.size === 0);
  });
});

describe('TOPIC_CHANGED (A3)', () => {
  it('is seen by the record at the applied offset, and nothing behind it is executed', async () => {
    await formerOwner(['r1', 'r2']);
    const before = rig.database.log.size;
    // Another log under the same name, as long as the first and longer.
    rig.topic.records.clear();
    await eventually('time moves on', () => rig.time.wallMs() > 0);
    for (const room of ['r3', 'r4', 'r5']) rig.send(room, 'c1', 'u1', createRoomBody());
    const [first, second] = rig.topic.records.get(0) ?? [];
    for (const record of [first, second]) Object.assign(record ?? {}, { recordTimeMs: 1 });
    const node = await nextOwner();
    await standsAs(node, 'TOPIC_CHANGED');
    expect(rig.database.log.size).toBe(before);
  });

  it('with `restart` the log is read from its start, whatever numbers the old one had', async () => {
    await formerOwner(['r1', 'r2', 'r3']);
    rig.topic.records.clear();
    const node = await nextOwner();
    await standsAs(node, 'TOPIC_CHANGED');
    const ids = ['r4', 'r5'].map((room) => rig.send(room, 'c1', 'u1', createRoomBody()));
    await accept('restart');
    await runs(node);
    for (const id of ids) {
      expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    }
    expect(rig.database.owners.get(0)).toMatchObject({ offsetsSinceEpoch: 2n });
  });

  it('a log that was not changed goes on, its last record being the one that was applied', async () => {
    await formerOwner(['r1']);
    const node = await nextOwner();
    await runs(node);
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody());
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    expect(node.cell.stops().size).toBe(0);
    expect(rig.database.log.size).toBe(2);
  });
});

describe('DB_REWOUND', () => {
  /** Five records, of which the database has the first alone; the group says that all were stored. */
  async function rewound(): Promise<RigNode> {
    await formerOwner(['r1']);
    for (const user of ['u2', 'u3', 'u4']) {
      rig.send('r1', `j-${user}`, user, joinRoomBody(), { ttlMs: 1 });
    }
    for (const record of rig.topic.records.get(0)?.slice(1) ?? []) {
      Object.assign(record, { recordTimeMs: record.recordTimeMs - 60_000 });
    }
    rig.topic.committed.set(0, 4n);
    const node = await nextOwner();
    await standsAs(node, 'DB_REWOUND');
    expect(rig.database.stops.get(0)).toMatchObject({ expectedOffset: 1n, committedOffset: 4n });
    return node;
  }
  const present = (): number => [...rig.database.userRooms.rowsBy('room', `${rigApp}\0r1`)].length;

  it('with `replay` what was lost is done again however old it is, and nobody is answered', async () => {
    const node = await rewound();
    await accept('replay', 2n);
    await runs(node);
    // Behind the replayed ones the ordinary rules hold: the last of them has expired.
    const id = rig.send('r1', 'last', 'u9', joinRoomBody());
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    const decided = [...rig.database.log.values()].map(({ commandId }) => commandId);
    expect(decided).toEqual(['c1', 'j-u2', 'j-u3', 'last']);
    expect([...node.replies.byCorrelation.keys()]).toHaveLength(2);
    expect(present()).toBeGreaterThan(0);
  });

  it('with `resume` the ordinary rules hold for all of them', async () => {
    const node = await rewound();
    await accept('resume');
    await runs(node);
    const id = rig.send('r1', 'last', 'u9', joinRoomBody());
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    const decided = [...rig.database.log.values()].map(({ commandId }) => commandId);
    expect(decided).toEqual(['c1', 'last']);
  });

  it('does not stand still for what its successor did while it was frozen', async () => {
    await formerOwner(['r1']);
    rig.send('r1', 'j-u2', 'u2', joinRoomBody());
    const node = await rig.startNode('next', { assign: [], options: { offsetFlushMs: 20 } });
    // Frozen as it asks: another one takes over, and stores an offset beyond what was found.
    const successor = new MemoryPartitionStore(rig.database);
    const ask = node.source.committedOffset.bind(node.source);
    let asked = 0;
    node.source.committedOffset = async (partition) => {
      asked += 1;
      if (asked > 1) return ask(partition);
      const other = {
        nodeId: 'other',
        incarnation: 'other.1',
        lane: 0,
        advertiseAddr: '10.0.0.9:1',
      };
      await successor.takeover({ partition, ...other });
      return 2n;
    };
    node.source.assign([0]);
    await runs(node);
    expect(asked).toBe(2);
    expect(rig.database.stops.size).toBe(0);
  });

  it('is not said again of a hint that was accepted, and said of one that is ahead of that', async () => {
    const node = await rewound();
    await accept('resume');
    await runs(node);
    node.source.assign([]);
    node.source.assign([0]);
    await runs(node);
    node.source.assign([]);
    rig.send('r1', 'more', 'u5', joinRoomBody());
    rig.topic.committed.set(0, 5n);
    Object.assign(rig.database.owners.get(0) ?? {}, { appliedOffset: 0n });
    node.source.assign([0]);
    await standsAs(node, 'DB_REWOUND');
  });
});

describe('PARTITION_COUNT_CHANGED', () => {
  it('a partition that the layout does not have is not touched, and the others run', async () => {
    const node = await rig.startNode('a');
    node.source.assign([0, 1]);
    expect(node.cell.stops()).toEqual(new Map([[1, 'PARTITION_COUNT_CHANGED']]));
    await runs(node);
    expect(rig.database.owners.has(1)).toBe(false);
    expect(node.cell.readiness()).toEqual({ ready: true, reasons: [] });
    node.source.assign([0]);
    expect(node.cell.stops().size).toBe(0);
  });
});
