/** Every branch of "When the transaction fails" (architecture section 4), on the memory twins. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';
import type { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { eventually } from '../../support/stepped-time.ts';

function laneOf(node: RigNode): MemoryCommitLane {
  if (node.memoryLane === null) throw new Error('the rig runs on another store');
  return node.memoryLane;
}

function partitionOfRoom(rig: CellRig, room: string): number {
  return partitionOf(roomKeyOf(rigApp, room as RoomId), rig.partitionCount);
}

/** A room id that lies on the given partition. */
function roomOn(rig: CellRig, partition: number): string {
  for (let n = 0; ; n += 1) if (partitionOfRoom(rig, `room-${n}`) === partition) return `room-${n}`;
}

async function createdRoom(rig: CellRig, node: RigNode, room = 'r1'): Promise<void> {
  await rig.result(node, rig.send(room, 'c1', 'u1', createRoomBody()));
}

describe('when the answer to COMMIT is lost', () => {
  it('a commit that had counted is answered once and stored once', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    laneOf(node).faults.push({ kind: 'lostAfterCommit' });
    const joined = await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(joined).toMatchObject({ outcome: 'applied', roomVersion: 2n, replayed: false });
    const again = await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(again.bytes).toEqual(joined.bytes);
    expect(rig.database.log.size).toBe(2);
  });

  it('a commit that had not counted is done again, not forgotten (PIPE-13)', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    laneOf(node).faults.push({ kind: 'lostBeforeCommit' });
    const joined = await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(joined).toMatchObject({ outcome: 'applied', roomVersion: 2n, replayed: false });
    expect(rig.database.log.size).toBe(2);
  });
});

describe('when the database refuses the transaction', () => {
  it('a deadlock repeats the whole transaction until it passes', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    laneOf(node).faults.push(...Array.from({ length: 4 }, () => ({ kind: 'conflict' as const })));
    await createdRoom(rig, node);
    expect(laneOf(node).tries).toBe(5);
    expect(rig.database.deadLetters).toEqual([]);
  });

  it('an outage is waited out, named in readiness, and never makes a dead letter', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    const outage = Array.from({ length: 30 }, () => ({ kind: 'unavailable' as const }));
    laneOf(node).faults.push(...outage);
    const id = rig.send('r1', 'c1', 'u1', createRoomBody());
    await eventually('DB_DOWN is named', () => node.cell.readiness().reasons.includes('DB_DOWN'));
    await rig.result(node, id);
    expect(node.cell.readiness()).toEqual({ ready: true, reasons: [] });
    expect(rig.database.deadLetters).toEqual([]);
    // Thirty tries, one line.
    const said = node.log.lines.filter(({ text }) => text.includes('does not take the batch'));
    expect(said).toHaveLength(1);
  });

  it('a command whose time runs out in an outage is not executed afterwards', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    laneOf(node).faults.push(
      ...Array.from({ length: 8 }, () => ({ kind: 'unavailable' as const })),
    );
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody(), { ttlMs: 100 });
    expect(await rig.reply(node, id)).toMatchObject({ kind: 'refusal', reason: 'EXPIRED' });
    expect(rig.database.log.size).toBe(1);
  });

  it('of 50 commands the one with a data error is set aside and all others commit', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    laneOf(node).dataFault = (batch) => batch.logRows.some(({ commandId }) => commandId === 'bad');
    for (let p = 0; p < rig.partitionCount; p += 1) node.source.pause(p);
    const ids = Array.from({ length: 50 }, (_, n) =>
      rig.send(`r${n % 10}`, n === 23 ? 'bad' : `c${n}`, 'u1', createRoomBody()),
    );
    for (let p = 0; p < rig.partitionCount; p += 1) node.source.resume(p);
    const replies = await Promise.all(ids.map((id) => rig.reply(node, id)));
    const refused = replies.filter(({ kind }) => kind === 'refusal');
    expect(refused).toEqual([
      { kind: 'refusal', reason: 'DATA_REFUSED', facts: {}, retryAfterMs: 0 },
    ]);
    expect(replies.indexOf(refused[0] ?? replies[0]!)).toBe(23);
    expect(rig.database.log.size).toBe(49);
    expect(rig.database.deadLetters.map(({ reason }) => reason)).toEqual(['DATA_REFUSED']);
  });
});

describe('when the fence refuses', () => {
  it('one fenced partition is dropped and the rest of the batch commits at once (LEASE-31)', async () => {
    const rig = new CellRig(16);
    const node = await rig.startNode('a');
    const rooms = Array.from({ length: 16 }, (_, partition) => roomOn(rig, partition));
    for (let p = 0; p < 16; p += 1) node.source.pause(p);
    // Somebody else takes partition 5 over in the database while a batch over all 16 is made.
    const row = rig.database.owners.get(5);
    if (row === undefined) throw new Error('partition 5 has no owner row');
    Object.assign(row, { epoch: row.epoch + 1n, ownerNodeId: 'b', incarnation: 'inc-b' });
    const ids = rooms.map((room) => rig.send(room, 'c1', 'u1', createRoomBody()));
    for (let p = 0; p < 16; p += 1) node.source.resume(p);
    const others = ids.filter((_, partition) => partition !== 5);
    const results = await Promise.all(others.map((id) => rig.result(node, id)));
    expect(results.every(({ outcome }) => outcome === 'applied')).toBe(true);
  });

  it('a fenced node answers nothing for the lost partition, writes nothing, and takes it again only as a new epoch (LEASE-7, LEASE-8, LEASE-15, LEASE-31, SVC-1, TST-1)', async () => {
    const rig = new CellRig();
    const a = await rig.startNode('a');
    await createdRoom(rig, a);
    const partition = partitionOfRoom(rig, 'r1');
    // B takes over; A is not told (frozen, or the group's news is late).
    const b = await rig.startNode('b', { assign: [partition] });
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody());
    const joined = await rig.result([b], id);
    expect(joined).toMatchObject({ outcome: 'applied', roomVersion: 2n });
    expect(a.replies.byCorrelation.has(id)).toBe(false);
    expect(rig.database.log.size).toBe(2);
    const epochs = [...rig.database.log.values()].map(({ epoch, ownerNodeId }) => [
      ownerNodeId,
      epoch,
    ]);
    expect(epochs).toEqual([
      ['a', 1n],
      ['b', 2n],
    ]);
  });

  it('a busy owner row holds only its own partition up', async () => {
    const rig = new CellRig(4);
    const node = await rig.startNode('a');
    const rooms = [0, 1, 2, 3].map((partition) => roomOn(rig, partition));
    for (let p = 0; p < 4; p += 1) node.source.pause(p);
    laneOf(node).faults.push({ kind: 'fenceBusy', partitions: [2] });
    const ids = rooms.map((room) => rig.send(room, 'c1', 'u1', createRoomBody()));
    for (let p = 0; p < 4; p += 1) node.source.resume(p);
    const results = await Promise.all(ids.map((id) => rig.result(node, id)));
    expect(results.every(({ outcome }) => outcome === 'applied')).toBe(true);
    expect(rig.database.log.size).toBe(4);
  });
});

describe('when memory and database differ', () => {
  it('a room that another hand changed is loaded anew and then decided', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    // The log loses its last step (a database set back): memory is ahead of it.
    const key = roomKeyOf(rigApp, 'r1' as RoomId);
    const joined = [...rig.database.log.entries()].find(([, row]) => row.commandId === 'j1');
    const created = [...rig.database.log.values()].find((row) => row.commandId === 'c1');
    const meta = rig.database.rooms.get(key);
    if (joined === undefined || created === undefined || meta === undefined)
      throw new Error('rows');
    rig.database.log.delete(joined[0]);
    const chainHash = created.chainHash ?? new Uint8Array();
    rig.database.rooms.set(key, { ...meta, version: created.decidedVersion, chainHash });
    const again = await rig.result(node, rig.send('r1', 'm1', 'u2', { type: 'MicUp', seatNo: 1 }));
    expect(again).toMatchObject({ outcome: 'rejected', reason: 'USER_NOT_PRESENT' });
  });

  it('an id that was committed between look-up and decide answers its stored result', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    const first = await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    // Memory forgets the id: only the primary key of the log still knows it.
    const lookups = rig.database.log;
    const [key, row] = [...lookups.entries()].find(([, { commandId }]) => commandId === 'j1') ?? [];
    if (key === undefined || row === undefined) throw new Error('row');
    for (let n = 0; n < 70; n += 1) {
      await rig.result(node, rig.send('r1', `f${n}`, 'u2', { type: 'MicUp', seatNo: 99 }));
    }
    lookups.delete(key);
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody());
    laneOf(node).dataFault = () => {
      lookups.set(key, row);
      return false;
    };
    const again = await rig.result(node, id);
    expect(again.outcome).toBe(first.outcome);
  });

  it('a room whose tables contradict each other is given up, not loaded for ever', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    const lane = laneOf(node);
    const commit = lane.commit.bind(lane);
    const key = roomKeyOf(rigApp, 'r1' as RoomId);
    lane.commit = (batch, gate) =>
      batch.logRows.some(({ commandId }) => commandId === 'j1')
        ? Promise.resolve({ kind: 'staleRooms', roomKeys: [key] })
        : commit(batch, gate);
    const refused = await rig.reply(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(refused).toMatchObject({ kind: 'refusal', reason: 'ROOM_CORRUPT' });
    expect(rig.database.log.size).toBe(1);
  });

  it('a room whose history does not add up stands still and says so, others go on', async () => {
    const rig = new CellRig();
    const a = await rig.startNode('a');
    await createdRoom(rig, a, 'r1');
    await createdRoom(rig, a, 'r2');
    const row = [...rig.database.log.values()].find(({ roomId }) => roomId === ('r1' as RoomId));
    if (row === undefined) throw new Error('row');
    Object.assign(row, { chainHash: new Uint8Array(32).fill(1) });
    const b = await rig.startNode('b');
    const broken = await rig.reply([b], rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(broken).toMatchObject({ kind: 'refusal', reason: 'ROOM_CORRUPT' });
    const well = await rig.result([b], rig.send('r2', 'j1', 'u2', joinRoomBody()));
    expect(well.outcome).toBe('applied');
  });
});

describe('when Redis misbehaves', () => {
  it('an emptied or forged lease never stops the owner of the epoch (PIPE-3, LEASE-13, LEASE-14)', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    await createdRoom(rig, node);
    const key = roomKeyOf(rigApp, 'r1' as RoomId);
    rig.keys.held.clear();
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    rig.keys.forge(key, 99n);
    const left = await rig.result(node, rig.send('r1', 'l1', 'u2', { type: 'LeaveRoom' }));
    expect(left.outcome).toBe('applied');
    expect(rig.keys.held.get(key)?.ownerNodeId).toBe('a');
  });

  it('commands go on while Redis is out of reach (LEASE-1, LEASE-16)', async () => {
    const rig = new CellRig();
    const node = await rig.startNode('a');
    rig.keys.unreachable = true;
    await createdRoom(rig, node);
    const row = [...rig.database.log.values()][0];
    expect(row).toMatchObject({ ownerNodeId: 'a', leaseToken: '1.0' });
  });
});

describe('an owner row that stays held', () => {
  it('is tried more and more rarely, because each try makes the other partitions wait', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    const lane = laneOf(node);
    lane.faults.push(
      ...Array.from({ length: 6 }, () => ({ kind: 'fenceBusy' as const, partitions: [0] })),
    );
    const startedMs = rig.time.monoMs();
    await createdRoom(rig, node);
    expect(lane.tries).toBe(7);
    // 50, 100, 200 … ms, jittered.
    expect(rig.time.monoMs() - startedMs).toBeGreaterThan(1_500);
  });
});
