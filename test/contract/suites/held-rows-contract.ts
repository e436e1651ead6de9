/**
 * Who waits for whom on an owner row: takeovers, releases and readers while a transaction is open on
 * it. Frozen owners are ended after one lock wait; healthy ones never are.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeferred, type Deferred } from '../../../src/kernel/deferred.ts';
import type { CommitLane, CommitOutcome, LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import type { FaultSpace } from '../../support/fault-space.ts';
import {
  commandBatch,
  emptyBatch,
  fenceOf,
  freshRoomId,
  keyOf,
  open,
} from '../../support/lane-batches.ts';

/** Declares the suite. */
export function heldRowsContract(name: string, openSpace: () => Promise<FaultSpace>): void {
  describe(`an owner row with an open transaction: ${name}`, () => {
    let space: FaultSpace;
    let lane: CommitLane;
    let partition = 0;
    let owner = '';
    let roomId: RoomId;
    let batch: LaneBatch;
    let gate: Deferred<boolean>;
    let committing: Promise<CommitOutcome>;

    const take = (
      incarnation: string,
      store: PartitionStore = space.store,
      id = partition,
    ): Promise<TakenPartition> =>
      store.takeover({
        partition: id,
        nodeId: incarnation,
        incarnation,
        lane: 0,
        advertiseAddr: '10.0.0.1:7000',
      });

    beforeAll(async () => {
      space = await openSpace();
    });
    afterAll(() => space.close());
    beforeEach(async () => {
      partition += 10;
      owner = `owner-${partition}`;
      const taken = await take(owner);
      lane = space.openLane(owner);
      gate = createDeferred<boolean>();
      roomId = freshRoomId();
      batch = commandBatch(taken, owner, { roomId, version: 1n }, { appliedOffset: 7n });
      committing = lane.commit(batch, gate.promise);
      await space.isOpenOn(partition);
      return async () => {
        gate.resolve(false);
        await space.ended(committing);
        await space.heal();
        await lane.stop();
      };
    });

    const storedVersion = async (): Promise<bigint | undefined> =>
      (await space.reader.loadRoom(keyOf(roomId))).meta?.version;

    it('holds a takeover up until the owner commits, which it then starts from', async () => {
      const connection = await space.connectionOf(owner);
      const taking = take('successor');
      await space.somebodyWaitsFor('ownerRow');
      expect(await space.store.readOwner(partition)).toMatchObject({ epoch: 1n, commitSeq: 0n });
      gate.resolve(true);
      expect(await space.ended(committing)).toEqual({ kind: 'committed' });
      expect(await space.ended(taking)).toMatchObject({
        epoch: 2n,
        appliedOffset: 7n,
        wasReleased: false,
      });
      expect(await space.connectionOf(owner)).toBe(connection);
    });

    it('of an owner that is frozen is taken over by KILL, and nothing of it is stored', async () => {
      const connection = await space.connectionOf(owner);
      const startedAtMs = space.nowMs();
      expect(await space.ended(take('successor'))).toMatchObject({
        epoch: 2n,
        appliedOffset: -1n,
        wasReleased: false,
      });
      // Not by the wait_timeout of the owner's connection, which comes after ten seconds.
      expect(space.nowMs() - startedAtMs).toBeLessThan(6_000);
      expect(await space.connectionOf(owner)).not.toBe(connection);
      gate.resolve(true);
      expect(['unavailable', 'unknown']).toContain((await space.ended(committing)).kind);
      expect(await storedVersion()).toBeUndefined();
      const fenced = { kind: 'fenced', partitions: [partition] };
      expect(await space.ended(lane.commit(batch, open()))).toEqual(fenced);
    });

    it('costs no other partition’s owner its connection', async () => {
      const healthy = `healthy-${partition}`;
      const other = partition + 1;
      const kept = await take(healthy, space.store, other);
      const healthyLane = space.openLane(healthy);
      await healthyLane.commit({ ...emptyBatch, fences: [fenceOf(kept, healthy)] }, open());
      const connection = await space.connectionOf(healthy);
      await space.ended(take('successor'));
      expect(await space.connectionOf(healthy)).toBe(connection);
      const next = { ...emptyBatch, fences: [fenceOf(kept, healthy, { commitSeq: 1n })] };
      expect(await healthyLane.commit(next, open())).toEqual({ kind: 'committed' });
      await healthyLane.stop();
    });

    it('gives two takers an epoch each, the later one the row', async () => {
      const takes = await space.ended(Promise.allSettled([take('a'), take('b')]));
      const epochs = takes.flatMap((each) =>
        each.status === 'fulfilled' ? [each.value.epoch] : [],
      );
      expect(epochs).toContain(3n);
      expect(new Set(epochs).size).toBe(epochs.length);
      expect(await space.store.readOwner(partition)).toMatchObject({ epoch: 3n });
    });

    it('holds a release up, which then is about the row as it was committed', async () => {
      const releasing = space.store.release(partition, 1n, owner);
      await space.somebodyWaitsFor('ownerRow');
      gate.resolve(true);
      expect(await space.ended(committing)).toEqual({ kind: 'committed' });
      await space.ended(releasing);
      expect(await space.store.readOwner(partition)).toMatchObject({
        released: true,
        commitSeq: 1n,
        appliedOffset: 7n,
      });
    });

    it('makes a release a Retry when it is not freed', async () => {
      const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
      const releasing = space.store.release(partition, 1n, owner);
      await expect(space.ended(releasing)).rejects.toMatchObject(retry);
      expect(await space.store.readOwner(partition)).toMatchObject({ released: false });
    });

    it('is read without waiting, as it was last committed', async () => {
      const row = { partition, epoch: 1n, commitSeq: 0n, appliedOffset: -1n };
      expect(await space.store.readOwner(partition)).toMatchObject(row);
      const owners = await space.store.readOwners();
      expect(owners.find((each) => each.partition === partition)).toMatchObject(row);
    });

    describe('of somebody who is no lane', () => {
      beforeEach(async () => {
        gate.resolve(false);
        expect(await space.ended(committing)).toEqual({ kind: 'stopped' });
      });

      it('is waited for', async () => {
        const operator = await space.openRival();
        await operator.holdOwner(partition);
        const taking = take('successor');
        await space.somebodyWaitsFor('ownerRow');
        expect(await space.store.readOwner(partition)).toMatchObject({ epoch: 1n });
        await operator.end();
        expect(await space.ended(taking)).toMatchObject({ epoch: 2n });
      });

      it('makes a takeover a Retry in the end, with the epoch as before', async () => {
        const operator = await space.openRival();
        await operator.holdOwner(partition);
        const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
        const taking = take('successor', space.openStore(10));
        await expect(space.ended(taking)).rejects.toMatchObject(retry);
        await operator.end();
        const row = { epoch: 1n, incarnation: owner };
        expect(await space.store.readOwner(partition)).toMatchObject(row);
      });
    });
  });
}
