/** A room's commands are decided in the order of their offsets, whatever happens to a transaction. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import type { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import type { LaneBatch } from '../../../src/ports/commit-lane.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';

function laneOf(node: RigNode): MemoryCommitLane {
  if (node.memoryLane === null) throw new Error('the rig runs on another store');
  return node.memoryLane;
}

/** Refuses batches of more than one row, as a packet that is too large; `then` runs at the first. */
function refuseOnce(lane: MemoryCommitLane, then: () => void): void {
  lane.dataFault = (batch: LaneBatch) => {
    if (batch.logRows.length <= 1) return false;
    lane.dataFault = () => false;
    then();
    return true;
  };
}

describe('commands of one room in a batch that is split', () => {
  it('keep their order when the owner row is busy in the midst of the split (ARC-18)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    const lane = laneOf(node);
    refuseOnce(lane, () => lane.faults.push({ kind: 'fenceBusy', partitions: [0] }));
    node.source.pause(0);
    const ids = [
      rig.send('r1', 'c1', 'u1', createRoomBody()),
      rig.send('r1', 'j1', 'u2', joinRoomBody()),
      rig.send('r1', 'm1', 'u2', { type: 'MicUp', seatNo: 1 }),
    ];
    node.source.resume(0);
    const results = await Promise.all(ids.map((id) => rig.result(node, id)));
    expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
  });

  it('keep their order when the room turns out stale in the midst of the split', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { batchCommandsMax: 2 } });
    const lane = laneOf(node);
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'j0', 'u9', joinRoomBody()));
    refuseOnce(lane, () => {
      // The log loses its last step (a database set back): memory is ahead of it.
      const rows = [...rig.database.log.entries()];
      const created = rows.find(([, { commandId }]) => commandId === 'c1')?.[1];
      const key = roomKeyOf(rigApp, 'r1' as RoomId);
      const meta = rig.database.rooms.get(key);
      const last = rows.find(([, { commandId }]) => commandId === 'j0')?.[0];
      if (created === undefined || meta === undefined || last === undefined) {
        throw new Error('rows are missing');
      }
      rig.database.log.delete(last);
      for (const [eventId, { roomVersion }] of rig.database.events) {
        if (roomVersion > created.decidedVersion) rig.database.events.delete(eventId);
      }
      const chainHash = created.chainHash ?? new Uint8Array();
      rig.database.rooms.set(key, { ...meta, version: created.decidedVersion, chainHash });
    });
    node.source.pause(0);
    const ids = [
      rig.send('r1', 'j1', 'u2', joinRoomBody()),
      rig.send('r1', 'm1', 'u2', { type: 'MicUp', seatNo: 1 }),
      rig.send('r1', 'l1', 'u2', { type: 'LeaveRoom' }),
    ];
    node.source.resume(0);
    const results = await Promise.all(ids.map((id) => rig.result(node, id)));
    expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
    expect(results.map(({ roomVersion }) => roomVersion)).toEqual([2n, 3n, 4n]);
  });
});
