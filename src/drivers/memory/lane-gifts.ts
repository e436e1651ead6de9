/** The statements of a commit lane's packet about gifts, on the memory database. */
import type {
  CommitOutcome,
  GiftStatRow,
  LaneBatch,
  SettlementRow,
} from '../../ports/commit-lane.ts';
import { giftStatKey, int64Max, type SettlementRecord } from './gift-rows.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import type { MemoryTransaction } from './memory-session.ts';

/**
 * Stages voids and sums. A debit key that has a row keeps it; sums are added to what is stored, and
 * one that 64 bits do not hold refuses the statement (1690).
 */
export function upsertGifts(
  database: MemoryDatabase,
  transaction: MemoryTransaction,
  batch: Pick<LaneBatch, 'settlements' | 'giftStats'>,
): CommitOutcome | null {
  const { settlements, giftStats } = database;
  for (const row of batch.settlements) {
    transaction.stage(() => {
      if (settlements.has(row.debitKey)) return () => undefined;
      return put(settlements, row.debitKey, newSettlement(row))();
    });
  }
  const sums = new Map<string, GiftStatRow>();
  for (const row of batch.giftStats) {
    const key = giftStatKey(row);
    const sum = addedTo(sums.get(key) ?? giftStats.get(key), row);
    const { sentCoins, sentCount, receivedCoins, receivedCount } = sum;
    if ([sentCoins, sentCount, receivedCoins, receivedCount].some((each) => each > int64Max)) {
      return { kind: 'dataError', cause: `giftStats: 1690 on a sum of ${row.userId}` };
    }
    sums.set(key, sum);
  }
  for (const [key, sum] of sums) transaction.stage(put(giftStats, key, sum));
  return null;
}

function newSettlement(row: SettlementRow): SettlementRecord {
  return {
    ...row,
    status: 'open',
    tries: 0,
    nextTryAtMs: 0,
    lastError: '',
    refundedCoins: null,
    settledAtMs: null,
  };
}

function addedTo(before: GiftStatRow | undefined, row: GiftStatRow): GiftStatRow {
  if (before === undefined) return row;
  return {
    ...row,
    sentCoins: before.sentCoins + row.sentCoins,
    sentCount: before.sentCount + row.sentCount,
    receivedCoins: before.receivedCoins + row.receivedCoins,
    receivedCount: before.receivedCount + row.receivedCount,
  };
}
