/**
 * What every CommitLane must do, whatever it stands on: all or nothing, and each way to fail told
 * apart. Faults of a server and a network are in the integration tests of the driver.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommitLane, LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomReader } from '../../../src/ports/room-reader.ts';
import {
  asVersion,
  commandBatch,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshCommandId,
  freshRoomId,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  takenBy,
} from '../../support/lane-batches.ts';

/** A database with what a lane needs around it. */
export interface CommitLaneFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

/** Declares the suite. */
export function commitLaneContract(
  name: string,
  makeFixture: () => Promise<CommitLaneFixture>,
): void {
  describe(`CommitLane contract: ${name}`, () => {
    let fixture: CommitLaneFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let partitions = 0;

    const take = (partition: number, incarnation = 'one'): Promise<TakenPartition> =>
      takenBy(fixture.store, incarnation, partition);
    /** Nothing of the batch is there: no step of its rooms, no result, fence rows as before. */
    const expectNothingStored = async (batch: LaneBatch): Promise<void> => {
      const ids = batch.logRows.map((row) => ({
        roomKey: keyOf(row.roomId),
        commandId: row.commandId,
      }));
      expect(await fixture.reader.findResults(ids)).toEqual([]);
      for (const fence of batch.fences) {
        const owner = await fixture.store.readOwner(fence.partition);
        if (owner?.epoch === fence.epoch) expect(owner.commitSeq).toBe(fence.commitSeq);
      }
    };

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });
    beforeEach(async () => {
      partitions += 100;
      taken = await take(partitions);
    });

    it('commits a batch: room, step, result and applied offset are there together (PIPE-6, ARC-3, SVC-9)', async () => {
      const roomId = freshRoomId();
      const batch = commandBatch(taken, 'one', { roomId, version: 1n }, { appliedOffset: 7n });
      expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
      const stored = await fixture.reader.loadRoom(keyOf(roomId));
      expect(stored.meta).toMatchObject({ version: 1n, status: 'active' });
      const steps = await fixture.reader.stepsAfter(keyOf(roomId), asVersion(0n), 10);
      expect(steps.map((step) => step.version)).toEqual([1n]);
      const owner = await fixture.store.readOwner(taken.partition);
      expect(owner).toMatchObject({ appliedOffset: 7n, commitSeq: 1n });
    });

    it('commits many rooms of many partitions as one transaction', async () => {
      const others = await Promise.all([1, 2].map((more) => take(partitions + more)));
      const all = [taken, ...others];
      const parts = all.map((part) => {
        const roomId = freshRoomId();
        return commandBatch(part, 'one', { roomId, version: 1n });
      });
      expect(await lane.commit(joined(parts), open())).toEqual({ kind: 'committed' });
      for (const part of all) {
        expect(await fixture.store.readOwner(part.partition)).toMatchObject({ commitSeq: 1n });
      }
    });

    it('commits events for nobody outside, alone and among others', async () => {
      const [alone, among] = [freshRoomId(), freshRoomId()];
      for (const roomId of [alone, among]) {
        const batch = commandBatch(taken, 'one', { roomId, version: 1n });
        const inside = eventRowOf(roomId, 1n, {
          destinations: [],
          usefulUntilMs: null,
          eventIndex: roomId === alone ? 0 : 1,
        });
        const eventRows = roomId === alone ? [inside] : [...batch.eventRows, inside];
        expect(await lane.commit({ ...batch, eventRows }, open())).toEqual({ kind: 'committed' });
        taken = await take(taken.partition);
      }
    });

    it('rolls back when the gate says no (LEASE-14)', async () => {
      const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
      expect(await lane.commit(batch, Promise.resolve(false))).toEqual({ kind: 'stopped' });
      await expectNothingStored(batch);
    });

    it('rolls back when the gate breaks', async () => {
      const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
      const broken = Promise.reject(new Error('the lease directory is gone'));
      expect(await lane.commit(batch, broken)).toEqual({ kind: 'stopped' });
      await expectNothingStored(batch);
    });

    it('changes nothing by an epoch that is over (LEASE-20, LEASE-30)', async () => {
      await take(taken.partition, 'successor');
      const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
      const fenced = { kind: 'fenced', partitions: [taken.partition] };
      expect(await lane.commit(batch, open())).toEqual(fenced);
      await expectNothingStored(batch);
      const owner = await fixture.store.readOwner(taken.partition);
      expect(owner).toMatchObject({ epoch: 2n, incarnation: 'successor', commitSeq: 0n });
    });

    it('changes nothing by an old epoch of the same process', async () => {
      // Scenario: a node is fenced, takes the partition over again, and a batch of before is late.
      await take(taken.partition);
      const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
      const fenced = { kind: 'fenced', partitions: [taken.partition] };
      expect(await lane.commit(batch, open())).toEqual(fenced);
      await expectNothingStored(batch);
    });

    it('changes nothing by another incarnation that guessed the epoch', async () => {
      const batch = commandBatch(taken, 'impostor', { roomId: freshRoomId(), version: 1n });
      const fenced = { kind: 'fenced', partitions: [taken.partition] };
      expect(await lane.commit(batch, open())).toEqual(fenced);
      await expectNothingStored(batch);
    });

    it('names exactly the one of 16 partitions that is fenced, and stores nothing of it', async () => {
      const all = await Promise.all(Array.from({ length: 16 }, (_, i) => take(partitions + i)));
      const lost = partitions + 11;
      await take(lost, 'successor');
      const batch = joined(
        all.map((part) => commandBatch(part, 'one', { roomId: freshRoomId(), version: 1n })),
      );
      expect(await lane.commit(batch, open())).toEqual({ kind: 'fenced', partitions: [lost] });
      await expectNothingStored(batch);
    });

    it('is fenced by a commit count that another transaction has raised', async () => {
      const fence = fenceOf(taken, 'one', { commitSeq: 3n });
      const outcome = await lane.commit({ ...emptyBatch, fences: [fence] }, open());
      expect(outcome).toEqual({ kind: 'fenced', partitions: [taken.partition] });
    });

    it('names the room whose stored version is not the one to step from (LEASE-30)', async () => {
      const known = freshRoomId();
      const behind = freshRoomId();
      const first = [known, behind].map((roomId) =>
        commandBatch(taken, 'one', { roomId, version: 1n }),
      );
      await lane.commit({ ...joined(first), fences: [fenceOf(taken, 'one')] }, open());
      const batch = joined([
        commandBatch(taken, 'one', { roomId: known, version: 2n }, { commitSeq: 1n }),
        { ...emptyBatch, roomRows: [roomRowOf(taken, behind, 5n)] },
      ]);
      const stale = { kind: 'staleRooms', roomKeys: [keyOf(behind)] };
      expect(await lane.commit(batch, open())).toEqual(stale);
      await expectNothingStored(batch);
    });

    it('names the room that exists already when it is to be created', async () => {
      const roomId = freshRoomId();
      await lane.commit(commandBatch(taken, 'one', { roomId, version: 1n }), open());
      const again = commandBatch(taken, 'one', { roomId, version: 1n }, { commitSeq: 1n });
      const stale = { kind: 'staleRooms', roomKeys: [keyOf(roomId)] };
      expect(await lane.commit(again, open())).toEqual(stale);
      await expectNothingStored(again);
    });

    it('names the rooms whose checked version differs, and only these', async () => {
      const same = freshRoomId();
      const differs = freshRoomId();
      const unknown = freshRoomId();
      const rooms = [same, differs].map((roomId) =>
        commandBatch(taken, 'one', { roomId, version: 1n }),
      );
      await lane.commit({ ...joined(rooms), fences: [fenceOf(taken, 'one')] }, open());
      const batch: LaneBatch = {
        ...emptyBatch,
        fences: [fenceOf(taken, 'one', { commitSeq: 1n })],
        logRows: [logRowOf(taken, same, 1n, { outcome: 'rejected', appliedVersion: null })],
        versionChecks: [
          { roomKey: keyOf(same), version: asVersion(1n) },
          { roomKey: keyOf(differs), version: asVersion(2n) },
          { roomKey: keyOf(unknown), version: asVersion(0n) },
        ],
      };
      const stale = { kind: 'staleRooms', roomKeys: [keyOf(differs)] };
      expect(await lane.commit(batch, open())).toEqual(stale);
      await expectNothingStored(batch);
    });

    it('tells a command id that has a row (PIPE-17)', async () => {
      const roomId = freshRoomId();
      const first = commandBatch(taken, 'one', { roomId, version: 1n });
      await lane.commit(first, open());
      const commandId = first.logRows[0]?.commandId ?? freshCommandId();
      const again: LaneBatch = {
        ...emptyBatch,
        fences: [fenceOf(taken, 'one', { commitSeq: 1n })],
        logRows: [logRowOf(taken, roomId, 2n, { commandId })],
        roomRows: [roomRowOf(taken, roomId, 2n)],
      };
      expect(await lane.commit(again, open())).toMatchObject({ kind: 'duplicateCommand' });
      expect((await fixture.reader.loadRoom(keyOf(roomId))).meta?.version).toBe(1n);
    });

    it('commits again after each failure', async () => {
      const roomId = freshRoomId();
      const batch = commandBatch(taken, 'one', { roomId, version: 1n });
      await lane.commit(batch, Promise.resolve(false));
      expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
    });

    it('refuses a batch after its stop', async () => {
      const stopped = fixture.openLane('one');
      await stopped.stop();
      const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
      expect(await stopped.commit(batch, open())).toMatchObject({ kind: 'unavailable' });
    });

    describe('settle', () => {
      it('says absent of a batch that was never committed', async () => {
        const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
        expect(await lane.settle(batch)).toEqual({ kind: 'absent' });
      });

      it('says committed of a batch that was', async () => {
        const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
        await lane.commit(batch, open());
        expect(await lane.settle(batch)).toEqual({ kind: 'committed' });
      });

      it.each(['committed', 'absent'] as const)(
        'names the partition that a successor has, and says %s of the rest',
        async (rest) => {
          const other = await take(partitions + 1);
          const batch = joined(
            [taken, other].map((part) =>
              commandBatch(part, 'one', { roomId: freshRoomId(), version: 1n }),
            ),
          );
          if (rest === 'committed') await lane.commit(batch, open());
          await take(other.partition, 'successor');
          const fenced = { kind: 'fenced', partitions: [other.partition], rest };
          expect(await lane.settle(batch)).toEqual(fenced);
        },
      );

      it('says fenced when this process has taken the partition over again itself', async () => {
        const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
        await take(taken.partition);
        const fenced = { kind: 'fenced', partitions: [taken.partition], rest: 'absent' };
        expect(await lane.settle(batch)).toEqual(fenced);
      });

      it('takes a successor’s row of the same command for nothing of its own', async () => {
        const roomId = freshRoomId();
        const batch = commandBatch(taken, 'one', { roomId, version: 1n });
        const next = await take(taken.partition, 'successor');
        const again: LaneBatch = {
          ...batch,
          fences: [fenceOf(next, 'successor')],
          logRows: batch.logRows.map((row) => ({ ...row, epoch: 2n, ownerNodeId: 'node-2' })),
        };
        const successor = fixture.openLane('successor');
        expect(await successor.commit(again, open())).toEqual({ kind: 'committed' });
        await successor.stop();
        const fenced = { kind: 'fenced', partitions: [taken.partition], rest: 'absent' };
        expect(await lane.settle(batch)).toEqual(fenced);
      });

      it('is Corrupt when the owner row and the log contradict each other', async () => {
        const stored = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
        expect(await lane.commit(stored, open())).toEqual({ kind: 'committed' });
        const never = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
        await expect(lane.settle(never)).rejects.toMatchObject({ kind: 'corrupt' });
      });

      it.each(['committed', 'absent'] as const)(
        'finds %s by the log when successors have every partition',
        async (rest) => {
          const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
          if (rest === 'committed') await lane.commit(batch, open());
          await take(taken.partition, 'successor');
          const fenced = { kind: 'fenced', partitions: [taken.partition], rest };
          expect(await lane.settle(batch)).toEqual(fenced);
        },
      );
    });
  });
}

function joined(parts: readonly LaneBatch[]): LaneBatch {
  return {
    fences: parts.flatMap((part) => part.fences),
    logRows: parts.flatMap((part) => part.logRows),
    eventRows: parts.flatMap((part) => part.eventRows),
    roomRows: parts.flatMap((part) => part.roomRows),
    deadLetters: parts.flatMap((part) => part.deadLetters),
    settlements: parts.flatMap((part) => part.settlements),
    giftStats: parts.flatMap((part) => part.giftStats),
    roomDays: parts.flatMap((part) => part.roomDays),
    roomWeeks: parts.flatMap((part) => part.roomWeeks),
    userWeeks: parts.flatMap((part) => part.userWeeks),
    userRooms: parts.flatMap((part) => part.userRooms),
    versionChecks: parts.flatMap((part) => part.versionChecks),
  };
}
