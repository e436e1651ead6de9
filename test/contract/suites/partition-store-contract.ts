/**
 * What every PartitionStore must do, whatever it stands on. Runs on the real driver and on its
 * memory twin.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakeoverRequest } from '../../../src/ports/partition-store.ts';
import {
  commandBatch,
  emptyBatch,
  fenceOf,
  freshRoomId,
  logRowOf,
  open,
} from '../../support/lane-batches.ts';

/** A store and lanes on the same database, empty at first. */
export interface PartitionStoreFixture {
  readonly store: PartitionStore;
  /** A lane of another process than the last one. */
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

/** Declares the suite. */
export function partitionStoreContract(
  name: string,
  makeFixture: () => Promise<PartitionStoreFixture>,
): void {
  describe(`PartitionStore contract: ${name}`, () => {
    let fixture: PartitionStoreFixture;
    let partitions = 0;
    const nextPartition = (): number => (partitions += 1);
    const request = (partition: number, incarnation: string): TakeoverRequest => ({
      partition,
      nodeId: `node-of-${incarnation}`,
      incarnation,
      lane: 0,
      advertiseAddr: '10.0.0.1:7000',
    });

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    describe('takeover', () => {
      it('makes epoch 1 of a partition that nobody ever had, with nothing applied (LEASE-2)', async () => {
        const partition = nextPartition();
        expect(await fixture.store.takeover(request(partition, 'first'))).toEqual({
          partition,
          epoch: 1n,
          appliedOffset: -1n,
          settledOffsets: [],
          // Nobody had it: nobody to wait for.
          wasReleased: true,
          stalledTakeovers: 0,
          tried: null,
          appliedRecordMs: null,
          acceptedHint: -1n,
          replayUntil: -1n,
        });
      });

      it('raises the epoch each time, for the same node too', async () => {
        const partition = nextPartition();
        const epochs: bigint[] = [];
        for (const incarnation of ['a', 'a', 'b']) {
          const taken = await fixture.store.takeover(request(partition, incarnation));
          epochs.push(taken.epoch);
        }
        expect(epochs).toEqual([1n, 2n, 3n]);
      });

      it('gives each of two takers at once an epoch of its own, and one of them the row (LEASE-30, ARC-15)', async () => {
        const partition = nextPartition();
        const takes = await Promise.allSettled(
          ['a', 'b'].map((incarnation) => fixture.store.takeover(request(partition, incarnation))),
        );
        const epochs = takes.flatMap((take) =>
          take.status === 'fulfilled' ? [take.value.epoch] : [],
        );
        expect(new Set(epochs).size).toBe(epochs.length);
        const owner = await fixture.store.readOwner(partition);
        expect(owner).toMatchObject({ epoch: 2n });
        expect(epochs).toContain(2n);
      });

      it('writes who owns the partition now and starts the count of commits anew', async () => {
        const partition = nextPartition();
        await fixture.store.takeover(request(partition, 'a'));
        expect(await fixture.store.readOwner(partition)).toEqual({
          partition,
          epoch: 1n,
          ownerNodeId: 'node-of-a',
          incarnation: 'a',
          lane: 0,
          advertiseAddr: '10.0.0.1:7000',
          appliedOffset: -1n,
          commitSeq: 0n,
          released: false,
          updatedAtMs: expect.any(Number) as number,
        });
      });

      it('hands over the applied offset and every settled offset above it, ascending', async () => {
        const partition = nextPartition();
        const taken = await fixture.store.takeover(request(partition, 'a'));
        const lane = fixture.openLane('a');
        const roomId = freshRoomId();
        const refused = { appliedOffset: 4n, settledOffsets: [9n, 6n] };
        const batch = {
          ...commandBatch(taken, 'a', { roomId, version: 1n }, refused),
          logRows: [logRowOf(taken, roomId, 1n, { kafkaOffset: 7n })],
        };
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
        await lane.stop();
        expect(await fixture.store.takeover(request(partition, 'b'))).toMatchObject({
          epoch: 2n,
          appliedOffset: 4n,
          settledOffsets: [6n, 7n, 9n],
        });
      });

      it('hands over no offsets of other partitions', async () => {
        const [own, foreign] = [nextPartition(), nextPartition()];
        await fixture.store.takeover(request(own, 'a'));
        const taken = await fixture.store.takeover(request(foreign, 'a'));
        const lane = fixture.openLane('a');
        const settledOffsets = [9n];
        const batch = {
          ...commandBatch(taken, 'a', { roomId: freshRoomId(), version: 1n }, { settledOffsets }),
        };
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
        await lane.stop();
        const next = await fixture.store.takeover(request(own, 'b'));
        expect(next).toMatchObject({ appliedOffset: -1n, settledOffsets: [] });
      });

      it('forgets settled offsets that the applied offset has passed', async () => {
        const partition = nextPartition();
        const taken = await fixture.store.takeover(request(partition, 'a'));
        const lane = fixture.openLane('a');
        const first = fenceOf(taken, 'a', { appliedOffset: 0n, settledOffsets: [2n, 5n] });
        const second = fenceOf(taken, 'a', { commitSeq: 1n, appliedOffset: 3n });
        for (const fence of [first, second]) {
          const outcome = await lane.commit({ ...emptyBatch, fences: [fence] }, open());
          expect(outcome).toEqual({ kind: 'committed' });
        }
        await lane.stop();
        expect(await fixture.store.takeover(request(partition, 'b'))).toMatchObject({
          appliedOffset: 3n,
          settledOffsets: [5n],
        });
      });
    });

    describe('release', () => {
      it('is told to the next owner, once', async () => {
        const partition = nextPartition();
        const { epoch } = await fixture.store.takeover(request(partition, 'a'));
        await fixture.store.release(partition, epoch, 'a');
        const next = await fixture.store.takeover(request(partition, 'b'));
        expect(next).toMatchObject({ epoch: 2n, wasReleased: true });
        const third = await fixture.store.takeover(request(partition, 'c'));
        expect(third).toMatchObject({ epoch: 3n, wasReleased: false });
      });

      it('changes nothing but the mark', async () => {
        const partition = nextPartition();
        const { epoch } = await fixture.store.takeover(request(partition, 'a'));
        const before = await fixture.store.readOwner(partition);
        await fixture.store.release(partition, epoch, 'a');
        expect(await fixture.store.readOwner(partition)).toEqual({
          ...before,
          released: true,
          updatedAtMs: expect.any(Number) as number,
        });
      });

      it.each([
        ['an old epoch', 1n, 'b'],
        ['another incarnation', 2n, 'a'],
      ])('by %s changes nothing', async (_who, epoch, incarnation) => {
        const partition = nextPartition();
        await fixture.store.takeover(request(partition, 'a'));
        await fixture.store.takeover(request(partition, 'b'));
        const before = await fixture.store.readOwner(partition);
        await fixture.store.release(partition, epoch, incarnation);
        expect(await fixture.store.readOwner(partition)).toEqual(before);
      });
    });

    it('answers all owners, and null for a partition that nobody ever had', async () => {
      const partition = nextPartition();
      await fixture.store.takeover(request(partition, 'a'));
      const owners = await fixture.store.readOwners();
      expect(owners.map((owner) => owner.partition)).toContain(partition);
      expect(await fixture.store.readOwner(100_000)).toBeNull();
    });

    it('keeps the first layout of a topic, whoever asks later and with what', async () => {
      const counts = [16, 32, 64];
      const answers = await Promise.all(
        counts.map((partitionCount) =>
          fixture.store.ensureLayout({ topic: 'laid.out', partitionCount, hash: 'murmur2' }),
        ),
      );
      expect(new Set(answers.map((layout) => layout.partitionCount)).size).toBe(1);
      const later = { topic: 'laid.out', partitionCount: 128, hash: 'murmur2' } as const;
      expect(await fixture.store.ensureLayout(later)).toEqual(answers[0]);
    });
  });
}
