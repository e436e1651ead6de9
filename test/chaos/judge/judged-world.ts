/**
 * A run on real processes as the checkers of the simulation look at a world: its rows in the memory
 * twin's tables, its records by offset, the wallet's books by its ledger's questions. Nothing here
 * judges, and nothing is made up: what MySQL does not keep (the order of commits, the former states of
 * a row) is not in it, and docs/reliability.md says which judge misses it.
 */
import { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import {
  giftStatKey,
  roomDayKey,
  roomWeekKey,
  userWeekKey,
} from '../../../src/drivers/memory/gift-rows.ts';
import { logKey, userRoomKey, type OwnerRecord } from '../../../src/drivers/memory/memory-rows.ts';
import { createSystemClock } from '../../../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../../../src/drivers/system/system-timers.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';
import type { CheckedWorld } from '../../simulation/checkers/checker.ts';
import type { ChaosRecord, TableRows } from '../record/chaos-record.ts';
import { ledgerOf } from './wallet-ledger-of.ts';

/** See the file header. Its tables are empty until `fill`. */
export class JudgedWorld implements CheckedWorld {
  readonly database = new MemoryDatabase({
    clock: createSystemClock(),
    timers: createSystemTimers(),
    latencyMs: () => 0,
  });
  readonly wallet: CheckedWorld['wallet'];
  readonly partitionCount: number;
  readonly commandsTopic: string;
  private readonly record: ChaosRecord;

  constructor(record: ChaosRecord) {
    this.record = record;
    this.partitionCount = record.partitionCount;
    this.commandsTopic = record.commandsTopic;
    this.wallet = { ledger: ledgerOf(record.wallet) };
  }

  commandRecords(partition: number, from = 0n): ReturnType<CheckedWorld['commandRecords']> {
    const records = this.record.commands[partition] ?? [];
    const [last] = records.slice(-1);
    if (last === undefined || last.offset < from) return [];
    return from === 0n ? records : records.filter(({ offset }) => offset >= from);
  }

  /** Puts all rows into the tables, but for the owners': those come as they were seen. */
  fill(): void {
    const { database, record } = this;
    const { tables } = record;
    fillRooms(database, tables);
    for (const row of inOrderOfRooms(tables.log)) {
      database.log.set(logKey(roomKeyOf(row.appCode, row.roomId), row.commandId), row);
    }
    const events = [...tables.events].sort(
      (one, other) =>
        Number(one.roomVersion - other.roomVersion) || one.eventIndex - other.eventIndex,
    );
    for (const row of events) database.events.set(row.eventId, row);
    for (const row of tables.outbox) database.outbox.set(row.rowId, row);
    database.deadLetters.push(...tables.deadLetters);
    for (const row of tables.settlements) database.settlements.set(row.debitKey, row);
    for (const row of tables.giftStats) database.giftStats.set(giftStatKey(row), row);
    for (const row of tables.roomDays) database.roomDays.set(roomDayKey(row), row);
    for (const row of tables.roomWeeks) database.roomWeeks.set(roomWeekKey(row), row);
    for (const row of tables.userWeeks) database.userWeeks.set(userWeekKey(row), row);
    for (const row of tables.userRooms) database.userRooms.set(userRoomKey(row), row);
  }

  /** The owner rows as they are from now on. */
  setOwners(rows: readonly OwnerRecord[]): void {
    for (const row of rows) this.database.owners.set(row.partition, row);
  }

  /** What stands above the applied offsets in the end. */
  setSettled(): void {
    const byPartition = new Map<number, Set<bigint>>();
    for (const { partition, offset } of this.record.tables.settledOffsets) {
      byPartition.set(partition, (byPartition.get(partition) ?? new Set()).add(offset));
    }
    for (const [partition, offsets] of byPartition) this.database.settled.set(partition, offsets);
  }
}

function fillRooms(database: MemoryDatabase, tables: TableRows): void {
  for (const row of tables.rooms) database.rooms.set(roomKeyOf(row.appCode, row.roomId), row);
  for (const row of tables.listEntries) {
    database.listEntries.set(roomKeyOf(row.appCode, row.roomId), row);
  }
  const snapshots = new Map<SnapshotRow['roomKey'], SnapshotRow[]>();
  for (const row of tables.snapshots) {
    snapshots.set(row.roomKey, [...(snapshots.get(row.roomKey) ?? []), row]);
  }
  for (const [key, rows] of snapshots) database.snapshots.set(key, rows);
}

/** A room's rows by version; those that made none behind the version that they were decided at. */
function inOrderOfRooms(rows: readonly LogRow[]): readonly LogRow[] {
  return [...rows].sort((one, other) => {
    const byVersion = Number(one.decidedVersion - other.decidedVersion);
    return byVersion || Number(one.appliedVersion === null) - Number(other.appliedVersion === null);
  });
}
