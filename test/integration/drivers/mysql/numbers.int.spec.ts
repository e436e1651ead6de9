/** 64-bit numbers that a double would round, and bytes that rot, on their way through the tables. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitLane } from '../../../../src/ports/commit-lane.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import {
  asVersion,
  bytesOf,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshRoomId,
  hashOf,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  testApp,
} from '../../../support/lane-batches.ts';
import { openMysqlSpace } from '../../../support/mysql-space.ts';
import type { MysqlSpace } from '../../../support/mysql-space.ts';

/** 2^53 + 1: the first whole number that a double does not hold. */
const big = 9_007_199_254_740_993n;

describe('numbers and bytes through MySQL', () => {
  let space: MysqlSpace;
  let lane: CommitLane;

  beforeAll(async () => {
    space = await openMysqlSpace();
    lane = space.drivers.openLane({ incarnation: 'one', lane: 0 });
  });
  afterAll(async () => {
    await lane.stop();
    await space.close();
  });
  const request = (partition: number) => ({
    partition,
    nodeId: 'node-1',
    incarnation: 'one',
    lane: 0,
    advertiseAddr: '10.0.0.1:7000',
  });

  it('keeps every 64-bit value above 2^53 exact, in every column (EXT-7)', async () => {
    const { partitionStore, roomReader, roomQueries, snapshotStore } = space.drivers;
    await partitionStore.takeover(request(1));
    await space.sql('UPDATE partition_owner SET epoch = ? WHERE partition_id = 1', [big]);
    const taken = await partitionStore.takeover(request(1));
    expect(taken.epoch).toBe(big + 1n);
    await space.sql('UPDATE partition_owner SET commit_seq = ? WHERE partition_id = 1', [big]);

    const roomId = freshRoomId();
    await lane.commit({ ...emptyBatch, roomRows: [roomRowOf(taken, roomId, 1n)] }, open());
    await space.sql('UPDATE rooms SET version = ? WHERE room_id = ?', [big - 1n, roomId]);
    const batch = {
      ...emptyBatch,
      fences: [
        fenceOf(taken, 'one', {
          commitSeq: big,
          appliedOffset: big,
          settledOffsets: [big + 2n, big + 4n],
        }),
      ],
      logRows: [logRowOf(taken, roomId, big, { kafkaOffset: big + 6n })],
      eventRows: [eventRowOf(roomId, big)],
      roomRows: [
        roomRowOf(taken, roomId, big, { visibleRegionId: big + 2n, passwordVersion: big + 4n }),
      ],
    };
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });

    const owner = await partitionStore.readOwner(1);
    expect(owner).toMatchObject({ epoch: big + 1n, commitSeq: big + 1n, appliedOffset: big });
    expect((await roomReader.loadRoom(keyOf(roomId))).meta?.version).toBe(big);
    const steps = await roomReader.stepsAfter(keyOf(roomId), asVersion(big - 1n), 5);
    expect(steps.map((step) => step.version)).toEqual([big]);
    const password = await roomQueries.passwordOf(testApp, roomId);
    expect(password?.passwordVersion).toBe(big + 4n);
    const query = { mode: null, tag: null, after: null, pageSize: 10 };
    const listed = await roomQueries.listRooms({
      appCode: testApp,
      visibleRegionId: big + 2n,
      ...query,
    });
    expect(listed.entries.map((entry) => entry.visibleRegionId)).toEqual([big + 2n]);
    await snapshotStore.save(
      {
        roomKey: keyOf(roomId),
        version: asVersion(big),
        bytes: bytesOf('state'),
        stateHash: hashOf(1),
        chainHash: hashOf(2),
        createdAtMs: 1,
      },
      2,
    );
    const stored = await roomReader.loadRoom(keyOf(roomId));
    expect(stored.snapshots.map((snapshot) => snapshot.version)).toEqual([big]);
    expect(await lane.settle(batch)).toEqual({ kind: 'committed' });
    const next = await partitionStore.takeover(request(1));
    expect(next).toMatchObject({
      epoch: big + 2n,
      appliedOffset: big,
      settledOffsets: [big + 2n, big + 4n, big + 6n],
    });
  });

  it.each([
    ['a result', 'result'],
    ['the events of a step', 'events'],
  ])('%s whose bytes changed on disk is Corrupt, not an answer', async (_what, column) => {
    const taken = await space.drivers.partitionStore.takeover(request(2));
    const roomId = freshRoomId();
    const row = logRowOf(taken, roomId, 1n);
    const fences = [fenceOf(taken, 'one')];
    await lane.commit({ ...emptyBatch, fences, logRows: [row] }, open());
    await space.sql(`UPDATE room_command_log SET ${column} = 'rotten' WHERE room_id = ?`, [roomId]);
    const { roomReader } = space.drivers;
    const roomKey = keyOf(roomId);
    const reading =
      column === 'result'
        ? roomReader.findResults([{ roomKey, commandId: row.commandId }])
        : roomReader.stepsAfter(roomKey, asVersion(0n), 10);
    const failure: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ kind: 'corrupt', facts: { room_id: roomId } });
  });

  it('a snapshot ahead of its room, or of a room that was never committed, is not stored', async () => {
    const taken = await space.drivers.partitionStore.takeover(request(3));
    const roomId = freshRoomId();
    const row = {
      roomKey: keyOf(roomId),
      version: asVersion(2n),
      bytes: bytesOf('state'),
      stateHash: hashOf(1),
      chainHash: hashOf(2),
      createdAtMs: 1,
    };
    await space.drivers.snapshotStore.save(row, 2);
    const batch = {
      ...emptyBatch,
      fences: [fenceOf(taken, 'one')],
      roomRows: [roomRowOf(taken, roomId, 1n)],
    };
    await lane.commit(batch, open());
    await space.drivers.snapshotStore.save(row, 2);
    expect((await space.drivers.roomReader.loadRoom(keyOf(roomId))).snapshots).toEqual([]);
  });
});
