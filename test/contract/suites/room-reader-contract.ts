/** What every RoomReader must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomReader, SweepRoom } from '../../../src/ports/room-reader.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import {
  asVersion,
  bytesOf,
  commandBatch,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshCommandId,
  freshRoomId,
  hashOf,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  takenBy,
} from '../../support/lane-batches.ts';

/** The port and a way to put rooms there. */
export interface RoomReaderFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

/** Declares the suite. */
export function roomReaderContract(
  name: string,
  makeFixture: () => Promise<RoomReaderFixture>,
): void {
  describe(`RoomReader contract: ${name}`, () => {
    let fixture: RoomReaderFixture;
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

    it('answers the stored result byte for byte, and nothing for ids without one (PIPE-2, PIPE-11)', async () => {
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

    it('answers the events after a version, those of one version together and in their order', async () => {
      const roomId = await roomAt(1);
      const other = await roomAt(2);
      const envelopes = ['first', 'second', 'third'].map(bytesOf);
      const many = {
        ...commandBatch(taken, 'one', { roomId, version: 2n }, { commitSeq }),
        eventRows: envelopes.map((envelope, eventIndex) =>
          eventRowOf(roomId, 2n, { envelope, eventIndex, destinations: [] }),
        ),
      };
      expect(await lane.commit(many, open())).toEqual({ kind: 'committed' });
      commitSeq += 1n;
      const silent = {
        ...commandBatch(taken, 'one', { roomId, version: 3n }, { commitSeq }),
        eventRows: [],
      };
      expect(await lane.commit(silent, open())).toEqual({ kind: 'committed' });
      commitSeq += 1n;
      const texts = async (after: bigint, limit: number) => {
        const found = await fixture.reader.eventsAfter(keyOf(roomId), asVersion(after), limit);
        return found.map((step) => [
          step.version,
          ...step.envelopes.map((bytes) => new TextDecoder().decode(bytes)),
        ]);
      };
      const rest = [[2n, 'first', 'second', 'third'], [3n]];
      expect(await texts(0n, 10)).toEqual([[1n, 'envelope'], ...rest]);
      expect(await texts(1n, 10)).toEqual(rest);
      expect(await texts(0n, 1)).toEqual([[1n, 'envelope']]);
      expect(await texts(3n, 10)).toEqual([]);
      const [step] = await fixture.reader.eventsAfter(keyOf(other), asVersion(1n), 10);
      const [logged] = await fixture.reader.stepsAfter(keyOf(other), asVersion(1n), 10);
      expect(step?.decidedAtMs).toBe(logged?.decidedAtMs);
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

    it('answers the rooms to sweep of a partition page by page, by time and then by room', async () => {
      const sweepAt = async (nextSweepMs: number | null, roomId: RoomId): Promise<SweepRoom> => {
        const batch = commandBatch(taken, 'one', { roomId, version: 1n }, { commitSeq });
        const roomRows = [roomRowOf(taken, roomId, 1n, { nextSweepMs })];
        expect(await lane.commit({ ...batch, roomRows }, open())).toEqual({ kind: 'committed' });
        commitSeq += 1n;
        return { roomKey: keyOf(roomId), sweepAtMs: nextSweepMs ?? 0 };
      };
      const late = await sweepAt(5_000, 'sweep-a' as RoomId);
      const [second, third] = [
        await sweepAt(4_000, 'sweep-d' as RoomId),
        await sweepAt(4_000, 'sweep-e' as RoomId),
      ];
      const first = await sweepAt(4_000, 'sweep-b' as RoomId);
      await sweepAt(5_001, 'sweep-c' as RoomId);
      await sweepAt(null, 'sweep-f' as RoomId);
      const pageAfter = (after: SweepRoom | null, limit: number) =>
        fixture.reader.roomsToSweep(0, 5_000, after, limit);
      expect(await pageAfter(null, 9)).toEqual([first, second, third, late]);
      expect(await pageAfter(null, 2)).toEqual([first, second]);
      expect(await pageAfter(second, 2)).toEqual([third, late]);
      expect(await pageAfter(late, 2)).toEqual([]);
      expect(await fixture.reader.roomsToSweep(1, 5_000, null, 9)).toEqual([]);
    });

    it('follows the time of the next sweep with every commit', async () => {
      const roomId = freshRoomId();
      for (const [version, nextSweepMs] of [
        [1n, 100],
        [2n, 200],
        [3n, null],
      ] as const) {
        const batch = commandBatch(taken, 'one', { roomId, version }, { commitSeq });
        const roomRows = [roomRowOf(taken, roomId, version, { nextSweepMs })];
        expect(await lane.commit({ ...batch, roomRows }, open())).toEqual({ kind: 'committed' });
        commitSeq += 1n;
        const found = await fixture.reader.roomsToSweep(0, 3_000, null, 9);
        const expected = nextSweepMs === null ? [] : [nextSweepMs];
        expect(found.map(({ sweepAtMs }) => sweepAtMs)).toEqual(expected);
      }
    });

    it('answers a room with version, status, owner, times and hash of its last commit', async () => {
      const roomId = await roomAt(2);
      const { meta, snapshots } = await fixture.reader.loadRoom(keyOf(roomId));
      expect(meta).toMatchObject({
        version: 2n,
        status: 'active',
        ownerUserId: 'owner',
        createdAtMs: 1_000,
        updatedAtMs: 1_000,
      });
      expect([...(meta?.chainHash ?? [])]).toEqual([...hashOf(2)]);
      expect(snapshots).toEqual([]);
    });

    it('answers no step for commands that changed nothing (PIPE-15, RES-1)', async () => {
      const roomId = await roomAt(1);
      const idle = { outcome: 'no_effect', appliedVersion: null } as const;
      const logRows = [logRowOf(taken, roomId, 1n, idle)];
      const fences = [fenceOf(taken, 'one', { commitSeq })];
      await lane.commit({ ...emptyBatch, fences, logRows }, open());
      commitSeq += 1n;
      const steps = await fixture.reader.stepsAfter(keyOf(roomId), asVersion(0n), 10);
      expect(steps.map((step) => step.version)).toEqual([1n]);
    });

    it('answers an id that is asked for twice once', async () => {
      const roomId = freshRoomId();
      const row = logRowOf(taken, roomId, 1n, { outcome: 'rejected', appliedVersion: null });
      const fences = [fenceOf(taken, 'one', { commitSeq })];
      await lane.commit({ ...emptyBatch, fences, logRows: [row] }, open());
      commitSeq += 1n;
      const id = { roomKey: keyOf(roomId), commandId: row.commandId };
      expect(await fixture.reader.findResults([id, id])).toHaveLength(1);
    });

    it('takes no look-up of more than 500 ids', async () => {
      const id = { roomKey: keyOf(freshRoomId()), commandId: freshCommandId() };
      const looking = fixture.reader.findResults(Array.from({ length: 501 }, () => id));
      await expect(looking).rejects.toThrow('too many ids');
    });
  });
}
