/** Which versions of a room are stored as snapshots, when no command asks for one. */
import { describe, expect, it } from 'vitest';
import { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { CellRig, createRoomBody, joinRoomBody } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** Plays a room up to version 7, waiting for each snapshot that is due; the versions stored. */
async function storedVersions(snapshotEveryN: number): Promise<bigint[]> {
  const rig = new CellRig(1);
  const options = { snapshotEveryN, snapshotsKept: 10 };
  const node = await rig.startNode('a', { options });
  const stored = (): bigint[] =>
    (rig.database.snapshots.get('app1\0r1' as never) ?? []).map(({ version }) => version);
  for (let version = 1; version <= 7; version += 1) {
    const body = version === 1 ? createRoomBody() : joinRoomBody();
    await rig.result(node, rig.send('r1', `c${version}`, `u${version}`, body));
    const due = Math.floor(version / snapshotEveryN);
    await eventually(`${due} snapshots`, () => stored().length === due);
  }
  return stored();
}

describe('a snapshot', () => {
  it('is written every so many versions, and at no other (PIPE-7, SNAP-1, CFG-4, SVC-4)', async () => {
    expect(await storedVersions(3)).toEqual([6n, 3n]);
  });

  it('is written at every version where one is all that is asked for (PIPE-7)', async () => {
    expect(await storedVersions(1)).toEqual([7n, 6n, 5n, 4n, 3n, 2n, 1n]);
  });

  it('that falls due while the one before is being written is written behind it, without a further command', async () => {
    const rig = new CellRig(1);
    const snapshots = new MemorySnapshotStore(rig.database);
    const save = snapshots.save.bind(snapshots);
    const slow = createDeferred<void>();
    const begun: bigint[] = [];
    snapshots.save = async (row, keep) => {
      begun.push(row.version);
      if (begun.length === 1) await slow.promise;
      await save(row, keep);
    };
    const stores = {
      lane: new MemoryCommitLane(rig.database),
      partitions: new MemoryPartitionStore(rig.database),
      rooms: new MemoryRoomReader(rig.database),
      snapshots,
    };
    const node = await rig.startNode('a', { stores, options: { snapshotEveryN: 1 } });
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'c2', 'u2', joinRoomBody()));
    await rig.result(node, rig.send('r1', 'c3', 'u3', joinRoomBody()));
    expect(begun).toEqual([1n]);
    slow.resolve();
    await eventually('the newest is written', () => begun.length === 2);
    expect(begun).toEqual([1n, 3n]);
  });
});
