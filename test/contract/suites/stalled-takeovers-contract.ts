/**
 * What every PartitionStore must remember of owners that ended without getting on, whatever it
 * stands on: the search for a record that ends its process stands on it (ADR 11).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TakenPartition } from '../../../src/ports/partition-store.ts';
import { emptyBatch, fenceOf, open } from '../../support/lane-batches.ts';
import type { PartitionStoreFixture } from './partition-store-contract.ts';

/** Declares the suite. */
export function stalledTakeoversContract(
  name: string,
  makeFixture: () => Promise<PartitionStoreFixture>,
): void {
  describe(`PartitionStore contract, stalled takeovers: ${name}`, () => {
    let fixture: PartitionStoreFixture;
    let partition = 0;
    let lives = 0;

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    /** A new process takes the partition over. */
    const take = (): Promise<TakenPartition> => {
      lives += 1;
      const incarnation = `life-${lives}`;
      const place = { partition, nodeId: 'node', lane: 0, advertiseAddr: '10.0.0.1:7000' };
      return fixture.store.takeover({ ...place, incarnation });
    };
    const takeFresh = (): Promise<TakenPartition> => {
      partition += 1;
      return take();
    };
    /** The present owner commits and so moves the applied offset. */
    const moveTo = async (taken: TakenPartition, appliedOffset: bigint): Promise<void> => {
      const lane = fixture.openLane(`life-${lives}`);
      const fence = fenceOf(taken, `life-${lives}`, { appliedOffset });
      const outcome = await lane.commit({ ...emptyBatch, fences: [fence] }, open());
      expect(outcome).toEqual({ kind: 'committed' });
      await lane.stop();
    };

    it('the first takeover of a partition is none', async () => {
      expect(await takeFresh()).toMatchObject({ stalledTakeovers: 0, tried: null });
    });

    it('each takeover from an owner that moved nothing and released nothing counts', async () => {
      await takeFresh();
      const counts = [await take(), await take(), await take()];
      expect(counts.map(({ stalledTakeovers }) => stalledTakeovers)).toEqual([1, 2, 3]);
    });

    it('an owner that moved the applied offset ends the count', async () => {
      await takeFresh();
      await take();
      const taken = await take();
      expect(taken.stalledTakeovers).toBe(2);
      await moveTo(taken, 0n);
      expect(await take()).toMatchObject({ stalledTakeovers: 0, appliedOffset: 0n });
      expect(await take()).toMatchObject({ stalledTakeovers: 1 });
    });

    it('a release neither counts nor ends the count', async () => {
      await takeFresh();
      await take();
      const { epoch } = await take();
      await fixture.store.release(partition, epoch, `life-${lives}`);
      expect(await take()).toMatchObject({ stalledTakeovers: 2, wasReleased: true });
      expect(await take()).toMatchObject({ stalledTakeovers: 3, wasReleased: false });
    });

    it('a noted try is told to every later owner until another one is noted', async () => {
      const { epoch } = await takeFresh();
      const note = (offset: bigint, tries: number): Promise<boolean> =>
        fixture.store.noteTry(partition, epoch, `life-${lives}`, { offset, tries });
      expect(await note(4n, 1)).toBe(true);
      expect(await note(5n, 1)).toBe(true);
      // Its answer was lost, and it is asked for again: still one try.
      expect(await note(5n, 1)).toBe(true);
      expect(await take()).toMatchObject({ tried: { offset: 5n, tries: 1 } });
      expect(await take()).toMatchObject({ tried: { offset: 5n, tries: 1 } });
    });

    it.each([
      ['an old epoch', 1n, (now: string) => now],
      ['another incarnation', 2n, () => 'somebody-else'],
    ])('a try noted by %s is refused and changes nothing', async (_who, epoch, incarnation) => {
      await takeFresh();
      await take();
      const who = incarnation(`life-${lives}`);
      const tried = { offset: 7n, tries: 1 };
      expect(await fixture.store.noteTry(partition, epoch, who, tried)).toBe(false);
      expect(await take()).toMatchObject({ tried: null });
    });

    it('a try may have any offset that the log knows', async () => {
      const { epoch } = await takeFresh();
      const tried = { offset: 9_007_199_254_740_993n, tries: 2 };
      await fixture.store.noteTry(partition, epoch, `life-${lives}`, tried);
      expect(await take()).toMatchObject({ tried });
    });

    it('noting a try moves nothing that commits compare', async () => {
      const taken = await takeFresh();
      const before = await fixture.store.readOwner(partition);
      await fixture.store.noteTry(partition, taken.epoch, `life-${lives}`, {
        offset: 0n,
        tries: 1,
      });
      expect(await fixture.store.readOwner(partition)).toEqual({
        ...before,
        updatedAtMs: expect.any(Number) as number,
      });
      await moveTo(taken, 0n);
    });
  });
}
