/** A command that forces a snapshot is answered after it, and never failed by it (RES-3). */
import { describe, expect, it } from 'vitest';
import type { UpdateRoomProfile } from '../../../src/domain/room/room-commands.ts';
import { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';
import { CellRig, createRoomBody, joinRoomBody } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

function titled(title: string): UpdateRoomProfile {
  const rest = { coverUrl: null, announcement: null, backgroundUrl: null, tags: null, ext: null };
  return { type: 'UpdateRoomProfile', title, ...rest };
}

/** A node whose snapshots are stored when the test lets them, each as far as `gates` says. */
async function started() {
  const rig = new CellRig(1);
  const snapshots = new MemorySnapshotStore(rig.database);
  const stores = {
    lane: new MemoryCommitLane(rig.database),
    partitions: new MemoryPartitionStore(rig.database),
    rooms: new MemoryRoomReader(rig.database),
    snapshots,
  };
  const save = snapshots.save.bind(snapshots);
  const asked: SnapshotRow[] = [];
  const gates: { resolve(): void; reject(error: Error): void }[] = [];
  snapshots.save = async (row, keep) => {
    asked.push(row);
    const gate = createDeferred<void>();
    gates.push({ resolve: () => gate.resolve(), reject: (error) => gate.reject(error) });
    await gate.promise;
    await save(row, keep);
  };
  const node = await rig.startNode('a', { stores });
  await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
  const versions = (): bigint[] => asked.map(({ version }) => version);
  const isAnswered = (id: string): boolean => node.replies.byCorrelation.has(id);
  return { rig, node, gates, versions, isAnswered };
}

describe('a command that forces a snapshot', () => {
  it('is committed first, then stored as a snapshot, then answered (RES-3, META-4, WRK-4)', async () => {
    const { rig, node, gates, versions, isAnswered } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    expect(rig.database.log.size).toBe(2);
    expect(versions()).toEqual([2n]);
    expect(isAnswered(id)).toBe(false);
    gates[0]?.resolve();
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied', roomVersion: 2n });
    expect(rig.database.snapshots.get('app1\0r1' as never)).toHaveLength(1);
  });

  it('lets no other command of its room wait', async () => {
    const { rig, node, gates, isAnswered } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    expect(isAnswered(id)).toBe(false);
    gates[0]?.resolve();
    await rig.result(node, id);
  });

  it('waits for a snapshot of its own version, not for an older one in flight', async () => {
    const { rig, node, gates, versions, isAnswered } = await started();
    const first = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('the first is begun', () => gates.length === 1);
    const second = rig.send('r1', 'p2', 'owner', titled('B'));
    await eventually('both are committed', () => rig.database.log.size === 3);
    for (let turn = 0; turn < 20; turn += 1) await rig.time.sleep(0);
    expect(versions()).toEqual([2n]);
    gates[0]?.resolve();
    await rig.result(node, first);
    await eventually('the second is begun', () => gates.length === 2);
    expect(versions()).toEqual([2n, 3n]);
    expect(isAnswered(second)).toBe(false);
    gates[1]?.resolve();
    await rig.result(node, second);
  });

  it('is answered like any other when the snapshot cannot be stored, and the fault is logged (PIPE-14)', async () => {
    const { rig, node, gates } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    gates[0]?.reject(new TypeError('a fault by the test'));
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    expect(node.log.lines.some(({ text }) => text === 'a snapshot was not written')).toBe(true);
  });

  it('is answered after two seconds when the snapshot hangs', async () => {
    const { rig, node, gates, isAnswered } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    rig.time.advance(1_999);
    expect(isAnswered(id)).toBe(false);
    rig.time.advance(1);
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    expect(node.replies.byCorrelation.get(id)).toHaveLength(1);
    gates[0]?.resolve();
    await eventually('it is stored after all', () => rig.database.snapshots.size === 1);
    expect(node.replies.byCorrelation.get(id)).toHaveLength(1);
  });

  it('repeated is answered at once: the stored result needs no snapshot', async () => {
    const { rig, node, gates } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    const again = await rig.result(node, rig.send('r1', 'p1', 'owner', titled('A')));
    expect(again.replayed).toBe(true);
    gates[0]?.resolve();
    await rig.result(node, id);
    expect(gates).toHaveLength(1);
  });

  it('tells how long the snapshot took in its timing line (TIME-6)', async () => {
    const { rig, node, gates } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    rig.time.advance(70);
    gates[0]?.resolve();
    await rig.result(node, id);
    const line = node.log.lines.find(({ fields }) => fields['command_id'] === 'p1');
    expect(line?.fields['snapshot_ms']).toBe(70);
  });

  it('is answered before a drain ends', async () => {
    const { rig, node, gates, isAnswered } = await started();
    const id = rig.send('r1', 'p1', 'owner', titled('A'));
    await eventually('a snapshot is begun', () => gates.length === 1);
    const drained = node.cell.drain(1_000_000).then(() => isAnswered(id));
    for (let turn = 0; turn < 20; turn += 1) await rig.time.sleep(0);
    gates[0]?.resolve();
    expect(await drained).toBe(true);
  });
});
