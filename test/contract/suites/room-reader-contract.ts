/** What every RoomReader and SnapshotStore on one database must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomReader } from '../../../src/ports/room-reader.ts';
import type { SnapshotStore } from '../../../src/ports/snapshot-store.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import {
  asVersion,
  bytesOf,
  commandBatch,
  emptyBatch,
  fenceOf,
  freshCommandId,
  freshRoomId,
  hashOf,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
} from '../../support/lane-batches.ts';

/** The two ports and a way to put rooms there. */
export interface RoomReaderFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  readonly snapshots: SnapshotStore;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

/** Declares the suite. */
export function roomReaderContract(
  name: string,
  makeFixture: () => Promise<RoomReaderFixture>,
): void {
  describe(`RoomReader and SnapshotStore contract: ${name}`, () => {
    let fixture: RoomReaderFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let commitSeq = 0n;

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
      taken = await fixture.store.takeover({
        partition: 0,
        nodeId: 'node-1',
        incarnation: 'one',
        lane: 0,
        advertiseAddr: '10.0.0.1:7000',
      });
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });

    /** A room that has taken `versions` steps, and its deadline. */
    const roomAt = async (
      versions: number,
      nextDeadlineMs: number | null = null,
    ): Promise<RoomId> => {
      const roomId = freshRoomId();
      for (let version = 1n; version <= BigInt(versions); version += 1n) {
        const batch = {
          ...commandBatch(taken, 'one', { roomId, version }, { commitSeq }),
          roomRows: [roomRowOf(taken, roomId, version, { nextDeadlineMs })],
        };
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
        commitSeq += 1n;
      }
      return roomId;
    };
    const save = (roomId: RoomId, version: bigint, keep = 2): Promise<void> =>
      fixture.snapshots.save(
        {
          roomKey: keyOf(roomId),
          version: asVersion(version),
          bytes: bytesOf(`state ${version}`),
          stateHash: hashOf(Number(version)),
          chainHash: hashOf(9),
          createdAtMs: 5_000,
        },
        keep,
      );
    const versionsOf = async (roomId: RoomId): Promise<readonly bigint[]> =>
      (await fixture.reader.loadRoom(keyOf(roomId))).snapshots.map((snapshot) => snapshot.version);

    it('answers the stored result byte for byte, and nothing for ids without one', async () => {
      const roomId = freshRoomId();
      const result = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const row = logRowOf(taken, roomId, 1n, {
        result,
        outcome: 'no_effect',
        appliedVersion: null,
      });
      const fences = [fenceOf(taken, 'one', { commitSeq })];
      await lane.commit({ ...emptyBatch, fences, logRows: [row] }, open());
      commitSeq += 1n;
      const found = await fixture.reader.findResults([
        { roomKey: keyOf(roomId), commandId: row.commandId },
        { roomKey: keyOf(roomId), commandId: freshCommandId() },
        { roomKey: keyOf(freshRoomId()), commandId: row.commandId },
      ]);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({
        roomKey: keyOf(roomId),
        commandId: row.commandId,
        commandType: 'JoinRoom',
        actorUserId: 'alice',
        payloadHashVersion: 1,
        outcome: 'no_effect',
      });
      expect([...(found[0]?.result ?? [])]).toEqual([...result]);
      expect([...(found[0]?.payloadHash ?? [])]).toEqual([...row.payloadHash]);
    });

    it('looks 500 ids of many rooms up in one call', async () => {
      const roomId = await roomAt(1);
      const ids = Array.from({ length: 500 }, (_, index) => ({
        roomKey: keyOf(index % 2 === 0 ? roomId : freshRoomId()),
        commandId: freshCommandId(),
      }));
      expect(await fixture.reader.findResults(ids)).toEqual([]);
    });

    it('says that a room was never committed', async () => {
      const stored = await fixture.reader.loadRoom(keyOf(freshRoomId()));
      expect(stored).toEqual({ meta: null, snapshots: [] });
    });

    it('answers the steps after a version, ascending and at most as many as asked for', async () => {
      const roomId = await roomAt(5);
      const steps = await fixture.reader.stepsAfter(keyOf(roomId), asVersion(1n), 3);
      expect(steps.map((step) => step.version)).toEqual([2n, 3n, 4n]);
      expect(steps.map((step) => new TextDecoder().decode(step.events))).toEqual([
        'events',
        'events',
        'events',
      ]);
    });

    it('answers the due rooms of the partition, earliest first, and no others', async () => {
      const late = await roomAt(1, 2_000);
      const early = await roomAt(1, 1_000);
      await roomAt(1, 2_001);
      await roomAt(1, null);
      const due = await fixture.reader.dueRooms(0, 2_000, 10);
      expect(due).toEqual([keyOf(early), keyOf(late)]);
      expect(await fixture.reader.dueRooms(0, 2_000, 1)).toEqual([keyOf(early)]);
      expect(await fixture.reader.dueRooms(1, 2_000, 10)).toEqual([]);
    });

    it('keeps the newest snapshots and answers them newest first', async () => {
      const roomId = await roomAt(4);
      for (const version of [1n, 3n, 2n, 4n]) await save(roomId, version);
      expect(await versionsOf(roomId)).toEqual([4n, 3n]);
    });

    it('does not let a late old snapshot push a newer one out', async () => {
      const roomId = await roomAt(3);
      for (const version of [2n, 3n, 1n]) await save(roomId, version);
      expect(await versionsOf(roomId)).toEqual([3n, 2n]);
    });

    it('stores a snapshot once per room and version', async () => {
      const roomId = await roomAt(1);
      await save(roomId, 1n);
      await save(roomId, 1n);
      expect(await versionsOf(roomId)).toEqual([1n]);
    });
  });
}
