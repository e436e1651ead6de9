/**
 * Every way a batch can fail at the server, brought about for real: each is told apart, each is
 * rolled back, and the lane goes on afterwards.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommitLane, LaneBatch, LogRow } from '../../../../src/ports/commit-lane.ts';
import type { TakenPartition } from '../../../../src/ports/partition-store.ts';
import type { RoomId } from '../../../../src/domain/ids.ts';
import {
  asVersion,
  commandBatch,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshRoomId,
  giftStatOf,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  settlementOf,
  testApp,
} from '../../../support/lane-batches.ts';
import { openMysqlSpace } from '../../../support/mysql-space.ts';
import type { MysqlSpace } from '../../../support/mysql-space.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('a batch that the server refuses', () => {
  let space: MysqlSpace;
  let lane: CommitLane;
  let taken: TakenPartition;
  let partitions = 0;

  beforeAll(async () => {
    space = await openMysqlSpace();
    lane = space.drivers.openLane({ incarnation: 'one', lane: 0 });
  });
  afterAll(async () => {
    await lane.stop();
    await space.close();
  });
  beforeEach(async () => {
    partitions += 10;
    taken = await take(partitions);
    return async () => {
      // A failed test must not hold its rows against the next one.
      space.endObservers();
      await space.noTransactionIsOpen();
      const after = { ...emptyBatch, fences: [fenceOf(await take(partitions), 'one')] };
      expect(await lane.commit(after, open())).toEqual({ kind: 'committed' });
    };
  });

  const take = (partition: number): Promise<TakenPartition> =>
    space.drivers.partitionStore.takeover({
      partition,
      nodeId: 'node-1',
      incarnation: 'one',
      lane: 0,
      advertiseAddr: '10.0.0.1:7000',
    });
  const storedRoom = async (roomId: RoomId): Promise<bigint | undefined> =>
    (await space.drivers.roomReader.loadRoom(keyOf(roomId))).meta?.version;
  /** Rooms at version 1, in a transaction of their own; the next commit count is 1. */
  const roomsThere = async (count: number): Promise<readonly RoomId[]> => {
    const roomIds = Array.from({ length: count }, () => freshRoomId());
    const batch: LaneBatch = {
      ...emptyBatch,
      fences: [fenceOf(taken, 'one')],
      roomRows: roomIds.map((roomId) => roomRowOf(taken, roomId, 1n)),
      logRows: roomIds.map((roomId) => logRowOf(taken, roomId, 1n)),
    };
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
    return roomIds;
  };
  const second = (): LaneBatch => ({
    ...emptyBatch,
    fences: [fenceOf(taken, 'one', { commitSeq: 1n })],
  });
  const newRoom = (fields: { log?: Partial<LogRow>; room?: object } = {}): LaneBatch => {
    const roomId = freshRoomId();
    return {
      ...emptyBatch,
      fences: [fenceOf(taken, 'one')],
      logRows: [logRowOf(taken, roomId, 1n, fields.log)],
      roomRows: [roomRowOf(taken, roomId, 1n, fields.room)],
    };
  };

  it('a lock wait on the second fence row is fenceBusy of that partition', async () => {
    const others = await Promise.all([1, 2].map((more) => take(partitions + more)));
    const holder = await space.openObserver();
    await holder.run('START TRANSACTION');
    await holder.run('UPDATE partition_owner SET lane = 0 WHERE partition_id = ?', [
      partitions + 1,
    ]);
    const batch: LaneBatch = {
      ...newRoom(),
      fences: [taken, ...others].map((part) => fenceOf(part, 'one')),
    };
    expect(await lane.commit(batch, open())).toEqual({
      kind: 'fenceBusy',
      partitions: [partitions + 1],
    });
    await holder.run('ROLLBACK');
    const owner = await space.drivers.partitionStore.readOwner(partitions);
    expect(owner).toMatchObject({ commitSeq: 0n, appliedOffset: -1n });
  });

  it('a lock wait on a room is a conflict', async () => {
    const [roomId] = await roomsThere(1);
    const holder = await space.openObserver();
    await holder.run('START TRANSACTION');
    await holder.run('SELECT version FROM rooms WHERE room_id = ? FOR UPDATE', [roomId]);
    const batch = { ...second(), roomRows: [roomRowOf(taken, roomId ?? freshRoomId(), 2n)] };
    expect(await lane.commit(batch, open())).toMatchObject({
      kind: 'conflict',
      cause: expect.stringContaining('1205'),
    });
    await holder.run('ROLLBACK');
  });

  it('a lock wait on the sums of a room is a conflict, and its voids are not stored', async () => {
    const [roomId = freshRoomId()] = await roomsThere(1);
    const holder = await space.openObserver();
    await holder.run('START TRANSACTION');
    await holder.run('INSERT INTO room_user_gift_stats VALUES (?, ?, ?, 1, 1, 0, 0, 1)', [
      testApp,
      roomId,
      'alice',
    ]);
    const settlement = settlementOf(partitions);
    const giftStats = [giftStatOf(roomId)];
    const batch = { ...second(), settlements: [settlement], giftStats };
    expect(await lane.commit(batch, open())).toMatchObject({
      kind: 'conflict',
      cause: expect.stringMatching(/^giftStats: 1205/),
    });
    await holder.run('ROLLBACK');
    const { settlementStore } = space.drivers;
    expect(await settlementStore.due([partitions], 9_000_000, 10)).toEqual([]);
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
    expect(await settlementStore.due([partitions], 9_000_000, 10)).toHaveLength(1);
  });

  it('a sum above 64 bits is a dataError of its statement, and the stored sum stays', async () => {
    const [roomId = freshRoomId()] = await roomsThere(1);
    const sentCoins = 2n ** 63n - 1n;
    const full = { ...second(), giftStats: [giftStatOf(roomId, { sentCoins })] };
    expect(await lane.commit(full, open())).toEqual({ kind: 'committed' });
    const fences = [fenceOf(taken, 'one', { commitSeq: 2n })];
    const above = { ...emptyBatch, fences, giftStats: [giftStatOf(roomId, { sentCoins: 1n })] };
    expect(await lane.commit(above, open())).toMatchObject({
      kind: 'dataError',
      cause: expect.stringMatching(/^giftStats: (1690|1264)/),
    });
    const rows = await space.sql('SELECT sent_coins FROM room_user_gift_stats WHERE room_id = ?', [
      roomId,
    ]);
    expect(rows).toEqual([{ sent_coins: sentCoins.toString() }]);
  });

  it('a debit key that is too long is a dataError, and hides behind no upsert', async () => {
    const settlement = settlementOf(partitions, { debitKey: 'f'.repeat(65) });
    const batch = { ...newRoom(), settlements: [settlement] };
    expect(await lane.commit(batch, open())).toMatchObject({
      kind: 'dataError',
      cause: expect.stringMatching(/^settlements: 1406/),
    });
  });

  it('a deadlock is a conflict, and nothing of the batch is stored', async () => {
    const [first, last] = await roomsThere(2);
    const rival = await space.openObserver();
    await rival.run('START TRANSACTION');
    // The server picks the transaction with the fewer changes as its victim: not this one.
    for (let row = 0; row < 40; row += 1) {
      await rival.run('INSERT INTO partition_settled VALUES (?, 999, ?)', ['rival', row]);
    }
    await rival.run('UPDATE rooms SET seat_count = 9 WHERE room_id = ?', [last]);
    const batch: LaneBatch = {
      ...second(),
      roomRows: [first, last].map((roomId) => roomRowOf(taken, roomId ?? freshRoomId(), 2n)),
    };
    const committing = lane.commit(batch, open());
    await waitUntil('a lane that waits for the second room', async () => {
      const running = await space.runningStatements();
      return running.some((statement) => statement.includes(`room_id='${last}'`));
    });
    await rival.run('UPDATE rooms SET seat_count = 9 WHERE room_id = ?', [first]);
    expect(await committing).toMatchObject({
      kind: 'conflict',
      cause: expect.stringContaining('1213'),
    });
    await rival.run('ROLLBACK');
    expect(await storedRoom(first ?? freshRoomId())).toBe(1n);
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
  });

  it('a command id that has a row is duplicateCommand', async () => {
    const batch = newRoom();
    await lane.commit(batch, open());
    const again = {
      ...second(),
      logRows: batch.logRows.map((row) => ({ ...row, appliedVersion: null })),
    };
    expect(await lane.commit(again, open())).toMatchObject({ kind: 'duplicateCommand' });
  });

  it('a version that has a row names the room, and not the others of the batch', async () => {
    const [forked, other] = await roomsThere(2);
    const batch: LaneBatch = {
      ...second(),
      logRows: [
        logRowOf(taken, other ?? freshRoomId(), 2n),
        logRowOf(taken, forked ?? freshRoomId(), 1n),
      ],
    };
    expect(await lane.commit(batch, open())).toEqual({
      kind: 'staleRooms',
      roomKeys: [keyOf(forked ?? freshRoomId())],
    });
  });

  it('an event id that exists under another version is data that cannot be stored', async () => {
    const roomId = freshRoomId();
    const event = eventRowOf(roomId, 1n);
    const twice = [event, { ...event, roomVersion: asVersion(2n) }];
    const batch = { ...newRoom(), eventRows: twice };
    expect(await lane.commit(batch, open())).toMatchObject({ kind: 'dataError' });
  });

  it.each([
    ['a title that is too long', newRoomWith({ title: 'x'.repeat(129) })],
    ['a number out of range', newRoomWith({ seatCount: 2 ** 40 })],
    ['a 64-bit number out of range', newRoomWith({ visibleRegionId: 2n ** 63n })],
    ['a time that is no number', newRoomWith({ updatedAtMs: Number.NaN })],
    ['a hash that is too long', newRoomWith({ chainHash: new Uint8Array(33) })],
    ['text that is not ASCII in an ASCII column', newRoomWith({ mode: '音乐' })],
    ['a null where none may be', newRoomWith({ closeInfoJson: null, status: null })],
  ])('%s is a dataError and stores nothing', async (_what, room) => {
    const batch = newRoom({ room });
    expect(await lane.commit(batch, open())).toMatchObject({ kind: 'dataError' });
    expect(await storedRoom(batch.roomRows[0]?.roomId ?? freshRoomId())).toBeUndefined();
  });

  it('a batch above max_allowed_packet is a dataError, and the connection stays', async () => {
    const batch = newRoom({ log: { result: new Uint8Array(9_000_000) } });
    expect(await lane.commit(batch, open())).toMatchObject({
      kind: 'dataError',
      cause: expect.stringContaining('max_allowed_packet'),
    });
  });

  it('a fenced partition is told even when a later statement fails', async () => {
    await take(partitions);
    const batch = newRoom({ room: { title: 'x'.repeat(129) } });
    expect(await lane.commit(batch, open())).toEqual({ kind: 'fenced', partitions: [partitions] });
  });

  it('a KILL in the middle of the packet is unavailable, not unknown', async () => {
    const [roomId] = await roomsThere(1);
    const holder = await space.openObserver();
    await holder.run('START TRANSACTION');
    await holder.run('SELECT version FROM rooms WHERE room_id = ? FOR UPDATE', [roomId]);
    const batch = { ...second(), roomRows: [roomRowOf(taken, roomId ?? freshRoomId(), 2n)] };
    const committing = lane.commit(batch, open());
    const thread = await waitUntil('the lane that waits for the room', async () => {
      const rows = await space.sql(
        "SELECT id AS id FROM information_schema.processlist WHERE db = ? AND info LIKE 'UPDATE rooms%'",
        [space.server.database],
      );
      return rows[0] === undefined ? null : String(rows[0]['id']);
    });
    await space.sql(`KILL ${BigInt(thread)}`);
    expect(await committing).toMatchObject({ kind: 'unavailable' });
    await holder.run('ROLLBACK');
    expect(await storedRoom(roomId ?? freshRoomId())).toBe(1n);
  });

  it('writes outbox rows in event order, pending, in the shard of their room (OUT-2, OUT-14)', async () => {
    const roomId = freshRoomId();
    const batch = commandBatch(taken, 'one', { roomId, version: 1n });
    const events = [0, 1].map((eventIndex) => eventRowOf(roomId, 1n, { eventIndex }));
    expect(await lane.commit({ ...batch, eventRows: events }, open())).toEqual({
      kind: 'committed',
    });
    const rows = await space.sql(
      'SELECT event_index, destination, status, useful_until_ms, shard FROM room_outbox ' +
        'WHERE app_code = ? AND room_id = ? ORDER BY id',
      [testApp, roomId],
    );
    expect(
      rows.map((row) => `${String(row['event_index'])} ${String(row['destination'])}`),
    ).toEqual(['0 im', '0 activity', '1 im', '1 activity']);
    expect(rows.map((row) => row['useful_until_ms'])).toEqual(['61000', null, '61000', null]);
    expect(new Set(rows.map((row) => row['status']))).toEqual(new Set(['pending']));
    expect(new Set(rows.map((row) => row['shard'])).size).toBe(1);
  });
});

/** Fields of a room row that the types would not let through: what a fault of ours could produce. */
function newRoomWith(fields: Record<string, unknown>): object {
  return fields;
}
