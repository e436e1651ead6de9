/** Rooms that leave memory because others need the place lose nothing by it. */
import { describe, expect, it } from 'vitest';
import { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { CellRig, createRoomBody, joinRoomBody, type RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

async function room(rig: CellRig, node: RigNode, id: string): Promise<void> {
  await rig.result(node, rig.send(id, `${id}-c`, 'owner', createRoomBody()));
}

function inMemory(node: RigNode): string[] {
  return node.cell.committedRooms().map(({ roomId }) => roomId);
}

describe('a room that leaves memory', () => {
  it('with a tail is stored as a snapshot, so that it comes back without a replay (SVC-4)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { residentRoomsMax: 2 } });
    await room(rig, node, 'r1');
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    for (const id of ['r2', 'r3']) await room(rig, node, id);
    expect(inMemory(node)).not.toContain('r1');
    const key = 'app1\0r1' as never;
    await eventually(
      'a snapshot of it',
      () => rig.database.snapshots.get(key)?.[0]?.version === 2n,
    );
    // Its log is not needed: even without it the room is what it was.
    for (const [id, { roomId }] of rig.database.log) {
      if (roomId === 'r1') rig.database.log.delete(id);
    }
    const left = await rig.result(node, rig.send('r1', 'l1', 'u1', { type: 'LeaveRoom' }));
    expect(left).toMatchObject({ outcome: 'applied', roomVersion: 3n });
  });

  it('is stored as soon as a writer is free, though it is out of memory by then', async () => {
    const rig = new CellRig(1);
    const snapshots = new MemorySnapshotStore(rig.database);
    const save = snapshots.save.bind(snapshots);
    const hung = createDeferred<void>();
    let begun = 0;
    snapshots.save = async (row, keep) => {
      begun += 1;
      await hung.promise;
      await save(row, keep);
    };
    const stores = {
      lane: new MemoryCommitLane(rig.database),
      partitions: new MemoryPartitionStore(rig.database),
      rooms: new MemoryRoomReader(rig.database),
      snapshots,
    };
    const node = await rig.startNode('a', { stores, options: { residentRoomsMax: 5 } });
    await room(rig, node, 'r1');
    const rest = { coverUrl: null, announcement: null, backgroundUrl: null, tags: null, ext: null };
    const profile = { type: 'UpdateRoomProfile', ...rest, title: 'Another' } as const;
    const waiting: string[] = [];
    for (const id of ['r2', 'r3', 'r4', 'r5']) {
      await room(rig, node, id);
      waiting.push(rig.send(id, `${id}-p`, 'owner', profile));
    }
    await eventually('all writers are busy', () => begun === 4);
    await room(rig, node, 'r6');
    expect(inMemory(node)).not.toContain('r1');
    hung.resolve();
    await Promise.all(waiting.map((id) => rig.result(node, id)));
    await eventually('a snapshot of it', () => rig.database.snapshots.has('app1\0r1' as never));
  });

  it('without a tail is not stored again', async () => {
    const rig = new CellRig(1);
    const options = { residentRoomsMax: 2, snapshotEveryN: 1 };
    const node = await rig.startNode('a', { options });
    await room(rig, node, 'r1');
    const key = 'app1\0r1' as never;
    await eventually('a snapshot of it', () => rig.database.snapshots.get(key)?.length === 1);
    const stored = rig.database.snapshots.get(key);
    for (const id of ['r2', 'r3']) await room(rig, node, id);
    expect(inMemory(node)).not.toContain('r1');
    for (let turn = 0; turn < 20; turn += 1) await rig.time.sleep(0);
    expect(rig.database.snapshots.get(key)).toBe(stored);
  });

  it('comes back for its next deadline', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { residentRoomsMax: 2 } });
    await room(rig, node, 'r1');
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    await rig.result(node, rig.send('r1', 'm1', 'u1', { type: 'MicUp', seatNo: 1 }));
    for (const id of ['r2', 'r3']) await room(rig, node, id);
    expect(inMemory(node)).not.toContain('r1');
    for (let second = 0; second < 20; second += 1) {
      rig.time.advance(1_000);
      for (let turn = 0; turn < 6; turn += 1) await rig.time.sleep(0);
    }
    const ids = [...rig.database.log.values()].map(({ commandId }) => commandId);
    expect(ids).toContain('sys:mic-publish-timeout:4');
  });
});
