/** What every SnapshotStore must do. What it stored is seen through the reader of the same database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomReader, StoredSnapshot } from '../../../src/ports/room-reader.ts';
import type { SnapshotStore } from '../../../src/ports/snapshot-store.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import {
  asVersion,
  bytesOf,
  commandBatch,
  freshRoomId,
  hashOf,
  keyOf,
  open,
  roomRowOf,
  takenBy,
} from '../../support/lane-batches.ts';

/** The port and a way to put rooms there. */
export interface SnapshotStoreFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  readonly snapshots: SnapshotStore;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

/** Declares the suite. */
export function snapshotStoreContract(
  name: string,
  makeFixture: () => Promise<SnapshotStoreFixture>,
): void {
  describe(`SnapshotStore contract: ${name}`, () => {
    let fixture: SnapshotStoreFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let commitSeq = 0n;

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
      taken = await takenBy(fixture.store, 'one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });

    /** A room that has taken `versions` steps. */
    const roomAt = async (versions: bigint): Promise<RoomId> => {
      const roomId = freshRoomId();
      for (let version = 1n; version <= versions; version += 1n) {
        const batch = commandBatch(taken, 'one', { roomId, version }, { commitSeq });
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
        commitSeq += 1n;
      }
      return roomId;
    };
    const save = (roomId: RoomId, version: bigint, keep = 2, text = 'state'): Promise<void> =>
      fixture.snapshots.save(
        {
          roomKey: keyOf(roomId),
          version: asVersion(version),
          bytes: bytesOf(`${text} ${version}`),
          stateHash: hashOf(Number(version)),
          chainHash: hashOf(9),
          createdAtMs: 5_000,
        },
        keep,
      );
    const stored = async (roomId: RoomId): Promise<readonly StoredSnapshot[]> =>
      (await fixture.reader.loadRoom(keyOf(roomId))).snapshots;
    const versionsOf = async (roomId: RoomId): Promise<readonly bigint[]> =>
      (await stored(roomId)).map((snapshot) => snapshot.version);

    it('stores bytes and hashes as they were given (SNAP-1)', async () => {
      const roomId = await roomAt(1n);
      await save(roomId, 1n);
      const [snapshot] = await stored(roomId);
      expect(new TextDecoder().decode(snapshot?.bytes)).toBe('state 1');
      expect([...(snapshot?.stateHash ?? [])]).toEqual([...hashOf(1)]);
      expect([...(snapshot?.chainHash ?? [])]).toEqual([...hashOf(9)]);
    });

    it('keeps the newest snapshots, which are answered newest first (SNAP-2)', async () => {
      const roomId = await roomAt(4n);
      for (const version of [1n, 3n, 2n, 4n]) await save(roomId, version);
      expect(await versionsOf(roomId)).toEqual([4n, 3n]);
    });

    it('keeps as many as it is told to, and no less for what others keep', async () => {
      const roomId = await roomAt(3n);
      const other = await roomAt(2n);
      for (const version of [1n, 2n]) await save(other, version);
      for (const version of [1n, 2n, 3n]) await save(roomId, version, 1);
      expect(await versionsOf(roomId)).toEqual([3n]);
      expect(await versionsOf(other)).toEqual([2n, 1n]);
    });

    it('has the older ones at hand when fewer are kept later', async () => {
      const roomId = await roomAt(3n);
      for (const version of [1n, 2n, 3n]) await save(roomId, version, 3);
      expect(await versionsOf(roomId)).toEqual([3n, 2n]);
      await save(roomId, 3n, 1);
      expect(await versionsOf(roomId)).toEqual([3n]);
    });

    it('does not let a late old snapshot push a newer one out', async () => {
      const roomId = await roomAt(3n);
      for (const version of [2n, 3n, 1n]) await save(roomId, version);
      expect(await versionsOf(roomId)).toEqual([3n, 2n]);
    });

    it('stores a snapshot once per room and version: the first one stays', async () => {
      const roomId = await roomAt(1n);
      await save(roomId, 1n);
      await save(roomId, 1n, 2, 'another state');
      const snapshots = await stored(roomId);
      expect(snapshots.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(['state 1']);
    });

    it('a snapshot ahead of its room is not stored: its commit never happened', async () => {
      const roomId = await roomAt(2n);
      await save(roomId, 3n);
      expect(await versionsOf(roomId)).toEqual([]);
      await save(roomId, 2n);
      expect(await versionsOf(roomId)).toEqual([2n]);
    });

    it('a snapshot of a room that does not exist is not stored, nor there when it does', async () => {
      const roomId = freshRoomId();
      await save(roomId, 1n);
      const batch = commandBatch(taken, 'one', { roomId, version: 1n }, { commitSeq });
      expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
      commitSeq += 1n;
      expect(await versionsOf(roomId)).toEqual([]);
    });

    it('a late snapshot of a deleted room is not stored', async () => {
      const roomId = await roomAt(2n);
      const batch = commandBatch(taken, 'one', { roomId, version: 3n }, { commitSeq });
      const roomRows = [roomRowOf(taken, roomId, 3n, { status: 'deleted' })];
      expect(await lane.commit({ ...batch, roomRows }, open())).toEqual({ kind: 'committed' });
      commitSeq += 1n;
      await save(roomId, 2n);
      expect(await versionsOf(roomId)).toEqual([]);
    });

    it('keeps one snapshot at least', async () => {
      const roomId = await roomAt(1n);
      await expect(save(roomId, 1n, 0)).rejects.toThrow('at least one');
    });
  });
}
