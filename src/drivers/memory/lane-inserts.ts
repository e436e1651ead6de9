/**
 * The inserts of a commit on the memory database, with the unique keys of the real tables: a key
 * that exists refuses the statement, and which key it was says what that means.
 */
import { roomKeyOf } from '../../domain/ids.ts';
import type { CommitOutcome, DeadLetterRow, EventRow, LogRow } from '../../ports/commit-lane.ts';
import { outboxShardOf } from '../../protocol/outbox-shard.ts';
import type { Destination } from '../../protocol/topics.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import { logKey, placeKey, versionKey, type OutboxRow } from './memory-rows.ts';
import type { MemoryTransaction } from './memory-session.ts';

const reasonCharsMax = 64;
const detailCharsMax = 1_000;

/** Stages log rows, unless an id (1062: duplicateCommand) or a version of a room has one. */
export function insertLogRows(
  database: MemoryDatabase,
  transaction: MemoryTransaction,
  rows: readonly LogRow[],
): CommitOutcome | null {
  const inserted = new Set<string>();
  for (const row of rows) {
    const roomKey = roomKeyOf(row.appCode, row.roomId);
    const key = logKey(roomKey, row.commandId);
    if (database.log.has(key) || inserted.has(key)) {
      return { kind: 'duplicateCommand', cause: `log: 1062 on the id ${row.commandId}` };
    }
    const version = versionKey(row);
    const isForked = version !== null && database.log.rowsBy('version', version).length > 0;
    if (isForked || (version !== null && inserted.has(`version/${version}`))) {
      return { kind: 'staleRooms', roomKeys: [roomKey] };
    }
    inserted.add(key).add(`version/${version}`);
    transaction.stage(put(database.log, key, row));
  }
  return null;
}

/** Stages events and their outbox rows, in order; an event id that exists is data that never fits. */
export function insertEvents(
  database: MemoryDatabase,
  transaction: MemoryTransaction,
  rows: readonly EventRow[],
): CommitOutcome | null {
  const inserted = new Set<string>();
  for (const row of rows) {
    const place = placeKey(row);
    if (database.events.rowsBy('place', place).length > 0 || inserted.has(place)) {
      return { kind: 'staleRooms', roomKeys: [roomKeyOf(row.appCode, row.roomId)] };
    }
    if (database.events.has(row.eventId) || inserted.has(row.eventId)) {
      return { kind: 'dataError', cause: `events: 1062 on the event id ${row.eventId}` };
    }
    inserted.add(place).add(row.eventId);
    transaction.stage(put(database.events, row.eventId, row));
  }
  for (const row of rows) {
    if (new Set(row.destinations).size < row.destinations.length) {
      return { kind: 'dataError', cause: `outbox: 1062 on a destination of ${row.eventId}` };
    }
    for (const destination of row.destinations) {
      const rowId = database.nextOutboxId();
      const nowMs = database.server.clock.wallMs();
      const outboxRow = outboxRowOf(row, destination, rowId, nowMs);
      transaction.stage(put(database.outbox, rowId, outboxRow));
    }
  }
  return null;
}

/** A pending row of one event for one destination. */
export function outboxRowOf(
  event: EventRow,
  destination: Destination,
  rowId: bigint,
  nowMs: number,
): OutboxRow {
  const { appCode, roomId, roomVersion, eventIndex, eventId, eventType } = event;
  return {
    rowId,
    eventId,
    appCode,
    roomId,
    roomVersion,
    eventIndex,
    eventType,
    destination,
    shard: outboxShardOf(roomKeyOf(appCode, roomId)),
    status: 'pending',
    workerId: '',
    claimToken: '',
    lockUntilMs: 0,
    nextRetryAtMs: 0,
    retryCount: 0,
    startedCount: 0,
    lastError: '',
    usefulUntilMs: destination === 'im' ? event.usefulUntilMs : null,
    createdAtMs: nowMs,
    finishedAtMs: null,
  };
}

/** A letter about an offset that has one says anew why; record and headers stay. */
export function upsertDeadLetters(
  { deadLetters }: MemoryDatabase,
  transaction: MemoryTransaction,
  rows: readonly DeadLetterRow[],
): void {
  for (const row of rows) {
    const reason = cutTo(row.reason, reasonCharsMax);
    const detail = cutTo(row.detail, detailCharsMax);
    transaction.stage(() => {
      const at = deadLetters.findIndex((letter) => isAboutSameRecord(letter, row));
      const before = deadLetters[at];
      if (before === undefined) {
        deadLetters.push({ ...row, reason, detail });
        return () => void deadLetters.pop();
      }
      deadLetters[at] = { ...before, reason, detail, createdAtMs: row.createdAtMs };
      return () => void (deadLetters[at] = before);
    });
  }
}

function isAboutSameRecord(one: DeadLetterRow, other: DeadLetterRow): boolean {
  return (
    one.topic === other.topic &&
    one.partition === other.partition &&
    one.kafkaOffset === other.kafkaOffset
  );
}

function cutTo(text: string, charactersMax: number): string {
  return Array.from(text).slice(0, charactersMax).join('');
}
