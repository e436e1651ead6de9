/** The statements of a commit lane's packet about gifts, on the memory database. */
import type {
  CommitOutcome,
  GiftStatRow,
  LaneBatch,
  RoomDayRow,
  RoomWeekRow,
  SettlementRow,
} from '../../ports/commit-lane.ts';
import {
  giftStatKey,
  int64Max,
  roomDayKey,
  roomWeekKey,
  userWeekKey,
  type SettlementRecord,
} from './gift-rows.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import type { MemoryTransaction } from './memory-session.ts';

/**
 * Stages voids and sums. A debit key that has a row keeps it; sums are added to what is stored, and
 * one that 64 bits do not hold refuses the statement (1690).
 */
export function upsertGifts(
  database: MemoryDatabase,
  transaction: MemoryTransaction,
  batch: Pick<LaneBatch, 'settlements' | 'giftStats' | 'roomDays' | 'roomWeeks' | 'userWeeks'>,
): CommitOutcome | null {
  const { settlements } = database;
  for (const row of batch.settlements) {
    transaction.stage(() => {
      if (settlements.has(row.debitKey)) return () => undefined;
      return put(settlements, row.debitKey, newSettlement(row))();
    });
  }
  const { giftStats, roomDays, roomWeeks, userWeeks } = database;
  return (
    addUp(transaction, batch.giftStats, { table: giftStats, keyOf: giftStatKey, add: statsSum }) ??
    addUp(transaction, batch.roomDays, { table: roomDays, keyOf: roomDayKey, add: sumOf }) ??
    addUp(transaction, batch.roomWeeks, { table: roomWeeks, keyOf: roomWeekKey, add: sumOf }) ??
    addUp(transaction, batch.userWeeks, { table: userWeeks, keyOf: userWeekKey, add: sumOf })
  );
}

/** A table of sums: the key of a row, and the sum of a stored row and a new one. */
interface Sums<Row> {
  readonly table: Map<string, Row>;
  readonly keyOf: (row: Row) => string;
  readonly add: (before: Row, row: Row) => Row;
}

function addUp<Row extends object>(
  transaction: MemoryTransaction,
  rows: readonly Row[],
  { table, keyOf, add }: Sums<Row>,
): CommitOutcome | null {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    const before = sums.get(key) ?? table.get(key);
    const sum = before === undefined ? row : add(before, row);
    if (Object.values(sum).some((each) => typeof each === 'bigint' && each > int64Max)) {
      return { kind: 'dataError', cause: `1690 on the sum of ${key.replaceAll('\0', '/')}` };
    }
    sums.set(key, sum);
  }
  for (const [key, sum] of sums) transaction.stage(put(table, key, sum));
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

function statsSum(before: GiftStatRow, row: GiftStatRow): GiftStatRow {
  return {
    ...row,
    sentCoins: before.sentCoins + row.sentCoins,
    sentCount: before.sentCount + row.sentCount,
    receivedCoins: before.receivedCoins + row.receivedCoins,
    receivedCount: before.receivedCount + row.receivedCount,
  };
}

function sumOf<Row extends RoomDayRow | RoomWeekRow>(before: Row, row: Row): Row {
  return { ...row, coins: before.coins + row.coins, giftCount: before.giftCount + row.giftCount };
}
