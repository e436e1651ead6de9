/** Of a deleted room only its row and its log stay, and its name is never used again (ROOM-18). */
import { describe, expect, it } from 'vitest';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import type { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import {
  rebuildRoom,
  type RebuiltRoom,
  type StoredRoom,
} from '../../../src/protocol/room-history.ts';
import { CellRig, createRoomBody, joinRoomBody, type RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const closing: CommandBody = { type: 'CloseRoom', reason: 'over', note: '' };
const deleting: CommandBody = { type: 'DeleteRoom', reason: 'gone', note: '' };
const roomKey = 'app1\0r1' as never;

async function closedRoom(rig: CellRig, node: RigNode): Promise<void> {
  await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody({ passwordHash: 'h' })));
  const robot = { ...joinRoomBody(), isRobot: true };
  await rig.result(node, rig.send('r1', 'j1', 'u1', robot, { role: 'service' }));
  await rig.result(node, rig.send('r1', 'x1', 'owner', closing));
}

function roomIds(node: RigNode): string[] {
  return node.cell.committedRooms().map(({ roomId }) => roomId);
}

/** The room as it comes back from the tables, with a row that names this status. */
function rebuilt(rig: CellRig, status: string): Promise<RebuiltRoom | null> {
  const reader = new MemoryRoomReader(rig.database);
  const loadRoom = async (): Promise<StoredRoom> => {
    const stored = await reader.loadRoom(roomKey);
    return { ...stored, meta: stored.meta === null ? null : { ...stored.meta, status } };
  };
  const history = { loadRoom, stepsAfter: reader.stepsAfter.bind(reader) };
  return rebuildRoom(history, createCodec(), roomKey, () => Promise.resolve(null));
}

function laneOf(node: RigNode): MemoryCommitLane {
  if (node.memoryLane === null) throw new Error('the rig runs on another store');
  return node.memoryLane;
}

describe('a deleted room', () => {
  it('leaves list, snapshots, presence and memory with the transaction that deletes it (ROOM-18, RES-29)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { snapshotEveryN: 1 } });
    await closedRoom(rig, node);
    await eventually('a snapshot', () => (rig.database.snapshots.get(roomKey)?.length ?? 0) > 0);
    await eventually(
      'all snapshots',
      () => rig.database.snapshots.get(roomKey)?.[0]?.version === 3n,
    );
    expect(rig.database.listEntries.get(roomKey)?.status).toBe('closed');
    const deleted = await rig.result(node, rig.send('r1', 'd1', 'owner', deleting));
    expect(deleted).toMatchObject({ outcome: 'applied', roomVersion: 4n });
    expect(rig.database.rooms.get(roomKey)).toMatchObject({
      status: 'deleted',
      version: 4n,
      ownerUserId: 'owner',
      passwordHash: '',
      nextDeadlineMs: null,
      nextSweepMs: null,
      closeInfoJson: null,
    });
    expect(rig.database.listEntries.has(roomKey)).toBe(false);
    expect(rig.database.snapshots.has(roomKey)).toBe(false);
    expect(rig.database.userRooms.size).toBe(0);
    expect(roomIds(node)).toEqual([]);
    for (let turn = 0; turn < 20; turn += 1) await rig.time.sleep(0);
    expect(rig.database.snapshots.has(roomKey)).toBe(false);
  });

  it('comes back from its row alone, the same state that the deletion made', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await closedRoom(rig, node);
    rig.time.advance(5_000);
    await rig.result(node, rig.send('r1', 'd1', 'owner', deleting));
    const byLog = await rebuilt(rig, 'closed');
    // Retention has taken the log, and a late snapshot has slipped in: neither is looked at.
    for (const [key, { commandId }] of rig.database.log) {
      if (commandId !== 'd1') rig.database.log.delete(key);
    }
    const nonsense = { roomKey, version: 3n as never, createdAtMs: 0, bytes: new Uint8Array([1]) };
    const hashes = { stateHash: new Uint8Array(32), chainHash: new Uint8Array(32) };
    rig.database.snapshots.set(roomKey, [{ ...nonsense, ...hashes }]);
    const byRow = await rebuilt(rig, 'deleted');
    expect(byRow?.state).toEqual(byLog?.state);
    expect(byRow?.chainHash).toEqual(byLog?.chainHash);
    expect(byRow?.state).toMatchObject({ status: 'deleted', version: 4n, ownerUserId: 'owner' });
  });

  it('takes nobody in, is not created again, and can be deleted again without effect', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await closedRoom(rig, node);
    await rig.result(node, rig.send('r1', 'd1', 'owner', deleting));
    const again = await rig.result(node, rig.send('r1', 'd2', 'owner', deleting));
    expect(again).toMatchObject({ outcome: 'no_effect', roomVersion: 4n });
    const created = await rig.result(node, rig.send('r1', 'c9', 'other', createRoomBody()));
    expect(created).toMatchObject({ outcome: 'rejected', reason: 'ROOM_ALREADY_EXISTS' });
    const joined = await rig.result(node, rig.send('r1', 'j9', 'other', joinRoomBody()));
    expect(joined).toMatchObject({ outcome: 'rejected', reason: 'ROOM_CLOSED' });
    expect(roomIds(node)).toEqual([]);
  });

  it('answers a repeat of its deletion with the stored result (ROOM-18)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await closedRoom(rig, node);
    const first = await rig.result(node, rig.send('r1', 'd1', 'owner', deleting));
    const again = await rig.result(node, rig.send('r1', 'd1', 'owner', deleting));
    expect(again.replayed).toBe(true);
    expect(again.bytes).toEqual(first.bytes);
  });

  it('keeps what stands behind the deletion in its queue, in the same batch and in a split one', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await closedRoom(rig, node);
    laneOf(node).dataFault = (batch) => batch.logRows.some(({ commandId }) => commandId === 'bad');
    node.source.pause(0);
    const ids = [
      rig.send('r1', 'd1', 'owner', deleting),
      rig.send('r1', 'bad', 'owner', deleting),
      rig.send('r1', 'j2', 'u2', joinRoomBody()),
    ];
    node.source.resume(0);
    const [deleted, bad, joined] = await Promise.all(ids.map((id) => rig.reply(node, id)));
    expect(deleted?.kind).toBe('result');
    expect(bad).toMatchObject({ kind: 'refusal', reason: 'DATA_REFUSED' });
    expect(joined?.kind).toBe('result');
    expect(rig.database.log.size).toBe(5);
  });

  it.each(['lostAfterCommit', 'lostBeforeCommit'] as const)(
    'is deleted once when the transaction ends in %s',
    async (kind) => {
      const rig = new CellRig(1);
      const node = await rig.startNode('a');
      await closedRoom(rig, node);
      laneOf(node).faults.push({ kind });
      await rig.result(node, rig.send('r1', 'd1', 'owner', deleting));
      expect(rig.database.rooms.get(roomKey)).toMatchObject({ status: 'deleted', version: 4n });
      expect(roomIds(node)).toEqual([]);
    },
  );
});
