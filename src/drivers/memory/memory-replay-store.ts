/** Memory twin of what was set aside, and of the acts that send it again. */
import type { AppCode, CommandId } from '../../domain/ids.ts';
import type { DeadLetterRow } from '../../ports/commit-lane.ts';
import type { OperatorAct } from '../../ports/operator-store.ts';
import { replayLimitOf } from '../../ports/replay-store.ts';
import type {
  DeadLetter,
  OutboxFilter,
  OutboxStatus,
  RecordPlace,
  ReplayStore,
  ReviewedRow,
} from '../../ports/replay-store.ts';
import { change, put, remove, type MemoryDatabase } from './memory-database.ts';
import type { OutboxReplayRow, OutboxRow } from './memory-rows.ts';
import type { RowChange } from './memory-session.ts';

type ActOnFailed = OperatorAct & { readonly type: 'ReplayOutbox' | 'DismissOutbox' };

/** See the file header. */
export class MemoryReplayStore implements ReplayStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  outboxRows(
    filter: OutboxFilter,
    status: OutboxStatus,
    afterId: bigint,
    limit: number,
  ): Promise<readonly ReviewedRow[]> {
    return this.read('reading rows of the outbox', () =>
      rowsThatFit(this.database, filter, status)
        .filter(({ rowId }) => rowId > afterId)
        .slice(0, replayLimitOf(limit))
        .map((row) => reviewedRowOf(row, status)),
    );
  }

  replayedRows(appCode: AppCode, commandId: CommandId): Promise<number> {
    return this.read('counting what was sent again', () => {
      return this.database.outboxReplays.get(`${appCode}\0${commandId}`)?.length ?? 0;
    });
  }

  deadLetters(after: RecordPlace | null, limit: number): Promise<readonly DeadLetter[]> {
    return this.read('reading dead letters', () =>
      this.database.deadLetters
        .map((row) => letterOf(this.database, row))
        .sort(byPlace)
        .filter((letter) => after === null || byPlace(letter, after) > 0)
        .slice(0, replayLimitOf(limit)),
    );
  }

  deadLetter(place: RecordPlace): Promise<DeadLetter | null> {
    return this.read('reading a dead letter', () => {
      const row = letterAt(this.database, place);
      return row === undefined ? null : letterOf(this.database, row);
    });
  }

  private read<T>(what: string, work: () => T): Promise<T> {
    return this.database.server.call('operators', what, 'read', work);
  }
}

/** Failed rows that fit begin anew or leave, and what each had come to is kept under the act. */
export function replayRows(
  database: MemoryDatabase,
  act: ActOnFailed,
  nowMs: number,
): readonly RowChange[] {
  const found = rowsThatFit(database, act, 'failed').slice(0, replayLimitOf(act.limit));
  if (found.length === 0) return [];
  const kept = found.map((row) => replayOf(row, nowMs));
  return [
    put(database.outboxReplays, `${act.appCode}\0${act.commandId}`, kept),
    ...found.map(({ rowId }) =>
      act.type === 'DismissOutbox'
        ? remove(database.outbox, rowId)
        : change(database.outbox, rowId, begunAnew),
    ),
  ];
}

/** Whether a letter lies there with its bytes. */
export function hasRecord(database: MemoryDatabase, place: RecordPlace): boolean {
  return (letterAt(database, place)?.recordValue ?? null) !== null;
}

/** The key of a place. */
export function placeText({ partition, offset }: RecordPlace): string {
  return `${partition}/${offset}`;
}

function begunAnew(row: OutboxRow): OutboxRow {
  return {
    ...row,
    status: 'pending',
    workerId: '',
    claimToken: '',
    lockUntilMs: 0,
    nextRetryAtMs: 0,
    retryCount: 0,
    startedCount: 0,
    finishedAtMs: null,
  };
}

function replayOf(row: OutboxRow, replayedAtMs: number): OutboxReplayRow {
  const { rowId, eventId, destination, retryCount, startedCount, lastError, finishedAtMs } = row;
  const was = { retryCount, startedCount, lastError, failedAtMs: finishedAtMs };
  return { rowId, eventId, destination, ...was, replayedAtMs };
}

function rowsThatFit(
  { outbox }: MemoryDatabase,
  filter: OutboxFilter,
  status: OutboxStatus,
): readonly OutboxRow[] {
  const isMeant = (wanted: string, is: string): boolean => wanted === '' || wanted === is;
  return [...outbox.values()]
    .filter(
      (row) =>
        row.appCode === filter.appCode &&
        row.status === status &&
        isMeant(filter.roomId, row.roomId) &&
        isMeant(filter.eventId, row.eventId) &&
        isMeant(filter.destination, row.destination) &&
        isMeant(filter.eventType, row.eventType) &&
        (filter.createdBeforeMs === 0 || row.createdAtMs < filter.createdBeforeMs),
    )
    .sort((one, other) => (one.rowId < other.rowId ? -1 : 1));
}

function reviewedRowOf(row: OutboxRow, status: OutboxStatus): ReviewedRow {
  const { rowId, eventId, roomId, roomVersion, eventIndex, eventType, destination } = row;
  const { retryCount, startedCount, lastError, nextRetryAtMs, lockUntilMs } = row;
  const { createdAtMs, finishedAtMs } = row;
  return {
    ...{ rowId, eventId, roomId, roomVersion, eventIndex, eventType, destination, status },
    ...{ retryCount, startedCount, lastError, nextRetryAtMs, lockUntilMs },
    ...{ createdAtMs, finishedAtMs },
  };
}

function letterAt({ deadLetters }: MemoryDatabase, place: RecordPlace): DeadLetterRow | undefined {
  return deadLetters.find(
    ({ partition, kafkaOffset }) => partition === place.partition && kafkaOffset === place.offset,
  );
}

function letterOf({ letterReplays }: MemoryDatabase, row: DeadLetterRow): DeadLetter {
  const { partition, kafkaOffset: offset, reason, detail, recordKey, recordValue } = row;
  const replay = letterReplays.get(placeText({ partition, offset }));
  const headers = JSON.parse(row.headersJson) as Record<string, string>;
  return {
    ...{ partition, offset, reason, detail },
    record:
      recordValue === null
        ? null
        : { key: recordKey ?? new Uint8Array(), value: recordValue, headers },
    recordTimeMs: row.recordTimeMs,
    createdAtMs: row.createdAtMs,
    replayedAtMs: replay?.atMs ?? 0,
    replayedBy: replay?.by ?? '',
  };
}

function byPlace(one: RecordPlace, other: RecordPlace): number {
  if (one.partition !== other.partition) return one.partition - other.partition;
  return one.offset < other.offset ? -1 : one.offset > other.offset ? 1 : 0;
}
