/** Rooms with people that are not in memory are brought in, and none hides another. */
import { describe, expect, it } from 'vitest';
import type { RoomId } from '../../../src/domain/ids.ts';
import { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { SweepRoom } from '../../../src/ports/room-reader.ts';
import { CellRig, rigApp, type RigNode } from '../../support/cell-rig.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';

/** A node whose partition 0 has so many rooms to sweep, the first ones in memory already. */
async function started(count: number) {
  const rig = new CellRig(1);
  const rooms = new MemoryRoomReader(rig.database);
  const due: SweepRoom[] = Array.from({ length: count }, (_, n) => ({
    roomKey: roomKeyOf(rigApp, `r${String(n).padStart(5, '0')}` as RoomId),
    sweepAtMs: 1,
  }));
  const asked: (string | null)[] = [];
  rooms.roomsToSweep = (_partition, _nowMs, after, limit) => {
    asked.push(after?.roomKey ?? null);
    const from = after === null ? 0 : due.findIndex(({ roomKey }) => roomKey === after.roomKey) + 1;
    return Promise.resolve(due.slice(from, from + limit));
  };
  const loaded: string[] = [];
  const load = rooms.loadRoom.bind(rooms);
  rooms.loadRoom = (key) => {
    loaded.push(key);
    return load(key);
  };
  const stores = {
    lane: new MemoryCommitLane(rig.database),
    partitions: new MemoryPartitionStore(rig.database),
    rooms,
    snapshots: new MemorySnapshotStore(rig.database),
  };
  const options = { residentRoomsMax: 10_000 };
  const node = await rig.startNode('a', { stores, options });
  return { rig, node, rooms, due, asked, loaded };
}

/** One look at rooms to sweep, with turns for the loads that it begins. */
async function tick(rig: CellRig): Promise<void> {
  rig.time.advance(10_000);
  for (let turn = 0; turn < 200; turn += 1) await new Promise((next) => setImmediate(next));
}

describe('rooms to sweep that are not in memory', () => {
  it('are brought in some at a time, until all are there, each once (LEASE-17)', async () => {
    const { rig, loaded, due } = await started(120);
    await tick(rig);
    expect(loaded).toHaveLength(50);
    await tick(rig);
    await tick(rig);
    expect(new Set(loaded)).toEqual(new Set(due.map(({ roomKey }) => roomKey)));
    await tick(rig);
    expect(loaded).toHaveLength(120);
    // At the end the search begins anew: what has left memory meanwhile stands anywhere.
    due.unshift({ roomKey: roomKeyOf(rigApp, 'a' as RoomId), sweepAtMs: 0 });
    await tick(rig);
    await tick(rig);
    expect(loaded).toHaveLength(121);
  });

  it('are found behind any number of rooms that are in memory', async () => {
    const { rig, loaded, due, asked } = await started(50);
    await tick(rig);
    expect(loaded).toHaveLength(50);
    // Five pages a tick: 1,200 overdue rooms of which all but the last are in memory.
    const more = Array.from({ length: 1_150 }, (_, n) => ({
      roomKey: roomKeyOf(rigApp, `s${String(n).padStart(5, '0')}` as RoomId),
      sweepAtMs: 1,
    }));
    due.push(...more);
    for (let ticks = 0; ticks < 24; ticks += 1) await tick(rig);
    expect(new Set(loaded).size).toBe(1_200);
    due.push({ roomKey: roomKeyOf(rigApp, 'z' as RoomId), sweepAtMs: 2 });
    asked.length = 0;
    await tick(rig);
    await tick(rig);
    expect(loaded.at(-1)).toContain('z');
    expect(asked.length).toBeLessThanOrEqual(10);
  });

  it('wait out an outage of MySQL, and nothing breaks meanwhile', async () => {
    const { rig, node, rooms, loaded } = await started(3);
    const look = rooms.roomsToSweep;
    rooms.roomsToSweep = () => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'by the test'));
    await tick(rig);
    expect(loaded).toHaveLength(0);
    rooms.roomsToSweep = look;
    await tick(rig);
    expect(loaded).toHaveLength(3);
    expect(node.fatal).toEqual([]);
  });

  it('are left to the next owner when the partition is lost (LEASE-18)', async () => {
    const { rig, node, loaded } = await started(3);
    lose(node);
    await tick(rig);
    expect(loaded).toHaveLength(0);
  });
});

function lose(node: RigNode): void {
  node.source.assign([]);
}
