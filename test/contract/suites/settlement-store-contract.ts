/** What every SettlementStore must do: no void is lost, whoever owns which partition. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommitLane, SettlementRow } from '../../../src/ports/commit-lane.ts';
import type { TopicLayout } from '../../../src/ports/partition-store.ts';
import type { SettlementStore } from '../../../src/ports/settlement-store.ts';
import { emptyBatch, open, settlementOf } from '../../support/lane-batches.ts';

/** A store, and a lane on the same database, since only a lane makes rows. */
export interface SettlementStoreFixture {
  readonly settlements: SettlementStore;
  readonly lane: CommitLane;
  /** What no port shows: how a row ended; nulls while it is open. */
  endOf(
    debitKey: string,
  ): Promise<{ readonly refundedCoins: bigint | null; readonly settledAtMs: number | null }>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Later than every next try of the suite. */
const farMs = 9_000_000;
/** 2^53 + 1: the first whole number that a double does not hold. */
const big = 9_007_199_254_740_993n;

/** Declares the suite. `makeFixture` stores the layout that it is given. */
export function settlementStoreContract(
  name: string,
  makeFixture: (layout: Omit<TopicLayout, 'topic'>) => Promise<SettlementStoreFixture>,
): void {
  describe(`SettlementStore contract: ${name}`, () => {
    let fixture: SettlementStoreFixture;
    let settlements: SettlementStore;

    const add = async (...rows: readonly SettlementRow[]): Promise<void> => {
      const outcome = await fixture.lane.commit({ ...emptyBatch, settlements: rows }, open());
      expect(outcome).toEqual({ kind: 'committed' });
    };
    const dueKeys = async (partitions: number[], nowMs = farMs, limit = 100): Promise<string[]> =>
      (await settlements.due(partitions, nowMs, limit)).map((row) => row.debitKey);
    /** A row per partition, each a millisecond younger than the one before. */
    const inPartitions = <const P extends readonly number[]>(...partitions: P) =>
      partitions.map((partition, index) =>
        settlementOf(partition, { createdAtMs: 1_000 + index }),
      ) as unknown as { readonly [K in keyof P]: SettlementRow };

    beforeAll(async () => {
      fixture = await makeFixture({ partitionCount: 4, hash: 'murmur2' });
      settlements = fixture.settlements;
    });
    afterAll(() => fixture.close());
    beforeEach(() => fixture.clear());

    it('finds a new row at once, with everything that a void needs', async () => {
      const row = settlementOf(2);
      await add(row);
      const { partition, ...rest } = row;
      expect(await settlements.due([partition], row.createdAtMs, 10)).toEqual([
        { ...rest, tries: 0 },
      ]);
    });

    it('keeps what a prize needs to be paid, to the last digit (LUCKY-3)', async () => {
      const prize = {
        debitKey: 'd'.repeat(64),
        coins: 9_007_199_254_740_993n,
        drawId: 'draw/9007199254740993',
      };
      const row = settlementOf(1, { reason: 'PRIZE_PENDING', prize });
      await add(row);
      expect(await settlements.due([1], row.createdAtMs, 10)).toMatchObject([
        { debitKey: row.debitKey, prize },
      ]);
      await settlements.settled(row.debitKey, prize.coins, 2_000);
      expect(await dueKeys([1])).toEqual([]);
    });

    it('finds rows of the asked partitions only, and none for no partition', async () => {
      const [one, two, three] = inPartitions(1, 2, 3);
      await add(one, two, three);
      expect(await dueKeys([1, 3])).toEqual([one.debitKey, three.debitKey]);
      expect(await dueKeys([])).toEqual([]);
    });

    it('finds the oldest first across partitions, at most as many as asked for', async () => {
      const rows = [5, 3, 1, 4, 2].map((age, index) =>
        settlementOf(index % 4, { createdAtMs: age * 1_000 }),
      );
      await add(...rows);
      const byAge = [2, 4, 1, 3, 0].map((index) => rows[index]?.debitKey);
      expect(await dueKeys([0, 1, 2, 3])).toEqual(byAge);
      expect(await dueKeys([0, 1, 2, 3], farMs, 2)).toEqual(byAge.slice(0, 2));
    });

    it('gives rows of partitions that the layout does not have to the owner of partition 0', async () => {
      // Scenario: the commands topic had more partitions when the rows were made.
      const [own, first, last] = inPartitions(2, 4, 77);
      await add(own, first, last);
      expect(await dueKeys([0])).toEqual([first.debitKey, last.debitKey]);
      expect(await dueKeys([3, 0, 2])).toEqual([own.debitKey, first.debitKey, last.debitKey]);
      expect(await dueKeys([1, 3])).toEqual([]);
      expect(await dueKeys([2])).toEqual([own.debitKey]);
    });

    it('finds every row exactly once over all owners', async () => {
      const rows = inPartitions(0, 1, 2, 3, 4, 5, 63, 64);
      await add(...rows);
      const found = await Promise.all([[0], [1, 2], [3]].map((owned) => dueKeys(owned)));
      expect(found.flat().sort()).toEqual(rows.map((row) => row.debitKey).sort());
    });

    it('leaves a postponed row alone until its time, and counts its tries', async () => {
      const row = settlementOf(1);
      await add(row);
      await settlements.postponed(row.debitKey, 'the wallet is silent', 5_000);
      expect(await dueKeys([1], 4_999)).toEqual([]);
      expect(await settlements.due([1], 5_000, 10)).toMatchObject([{ tries: 1 }]);
      await settlements.postponed(row.debitKey, 'still silent', 6_000);
      expect(await settlements.due([1], 6_000, 10)).toMatchObject([{ tries: 2 }]);
    });

    it('postpones one row and no other', async () => {
      const [one, other] = inPartitions(1, 1);
      await add(one, other);
      await settlements.postponed(one.debitKey, 'silent', farMs + 1);
      expect(await dueKeys([1])).toEqual([other.debitKey]);
    });

    it('ends a row, once: it is due no more and no late try opens it', async () => {
      const [one, other] = inPartitions(1, 1);
      await add(one, other);
      await settlements.settled(one.debitKey, big, 2_000);
      await settlements.settled(one.debitKey, 0n, 3_000);
      await settlements.postponed(one.debitKey, 'a slow try of a former owner', 1);
      expect(await dueKeys([1])).toEqual([other.debitKey]);
      expect((await settlements.listOpen(10)).map((row) => row.debitKey)).toEqual([other.debitKey]);
      expect((await settlements.backlog()).open).toBe(1);
      const ended = { refundedCoins: big, settledAtMs: 2_000 };
      expect(await fixture.endOf(one.debitKey)).toEqual(ended);
      const isOpen = { refundedCoins: null, settledAtMs: null };
      expect(await fixture.endOf(other.debitKey)).toEqual(isOpen);
    });

    it('is not opened again by a batch that brings an ended key once more', async () => {
      const row = settlementOf(1);
      await add(row);
      await settlements.settled(row.debitKey, 7n, 2_000);
      await add(row);
      expect(await dueKeys([1])).toEqual([]);
    });

    it('does nothing about a key that it does not have', async () => {
      await settlements.settled('f'.repeat(64), 1n, 1);
      await settlements.postponed('f'.repeat(64), 'silent', 1);
      expect(await settlements.backlog()).toEqual({ open: 0, oldestCreatedAtMs: null });
    });

    it('lists open rows of all partitions with why their last try failed', async () => {
      const [one, two, stray] = inPartitions(3, 0, 77);
      await add(one, two, stray);
      await settlements.postponed(two.debitKey, `${'音'.repeat(999)}xyz`, 8_000);
      const listed = await settlements.listOpen(10);
      expect(listed).toEqual([
        { ...one, tries: 0, nextTryAtMs: 0, lastError: '' },
        { ...two, tries: 1, nextTryAtMs: 8_000, lastError: `${'音'.repeat(999)}x` },
        { ...stray, tries: 0, nextTryAtMs: 0, lastError: '' },
      ]);
      expect((await settlements.listOpen(1)).map((row) => row.debitKey)).toEqual([one.debitKey]);
    });

    it('counts open rows, due or not, and names the age of the oldest', async () => {
      const rows = inPartitions(1, 2, 77);
      await add(...rows);
      expect(await settlements.backlog()).toEqual({ open: 3, oldestCreatedAtMs: 1_000 });
      await settlements.settled(rows[0].debitKey, 0n, 2_000);
      await settlements.postponed(rows[1].debitKey, 'silent', farMs * 2);
      expect(await settlements.backlog()).toEqual({ open: 2, oldestCreatedAtMs: 1_001 });
    });
  });
}
