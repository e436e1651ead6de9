/**
 * What was set aside and may be sent again: rows of the outbox, and records of the commands topic
 * that nobody could execute. Read here; sent again as acts of operators (`operator-store.ts`).
 */
import type { AppCode, CommandId, EventId, RoomId, RoomVersion } from '../domain/ids.ts';
import type { Destination } from '../protocol/topics.ts';

/** States of an outbox row that can be asked for. */
export const outboxStatuses = [
  'failed',
  'retryable',
  'delivering',
  'pending',
  'delivered',
] as const;

/** State of an outbox row. */
export type OutboxStatus = (typeof outboxStatuses)[number];

/** Which rows of an app are meant; '' and 0 stand for any. */
export interface OutboxFilter {
  readonly appCode: AppCode;
  readonly roomId: RoomId | '';
  readonly eventId: EventId | '';
  readonly destination: Destination | '';
  readonly eventType: string;
  /** Stored before this time; wall clock of the cell that stored it. */
  readonly createdBeforeMs: number;
}

/** A row as people judge it. */
export interface ReviewedRow {
  /** Rises in the order in which rows were stored. */
  readonly rowId: bigint;
  readonly eventId: EventId;
  readonly roomId: RoomId;
  readonly roomVersion: RoomVersion;
  readonly eventIndex: number;
  readonly eventType: string;
  readonly destination: Destination;
  readonly status: OutboxStatus;
  readonly retryCount: number;
  readonly startedCount: number;
  /** '' when nothing went wrong. */
  readonly lastError: string;
  readonly nextRetryAtMs: number;
  readonly lockUntilMs: number;
  readonly createdAtMs: number;
  /** Null: not finished. */
  readonly finishedAtMs: number | null;
}

/** Where a record lies on the commands topic. */
export interface RecordPlace {
  readonly partition: number;
  readonly offset: bigint;
}

/** A record that was set aside. */
export interface DeadLetter extends RecordPlace {
  readonly reason: string;
  readonly detail: string;
  /** Null: not even its bytes could be kept, so that it cannot be sent again. */
  readonly record: {
    readonly key: Uint8Array;
    readonly value: Uint8Array;
    readonly headers: Readonly<Record<string, string>>;
  } | null;
  readonly recordTimeMs: number;
  readonly createdAtMs: number;
  /** When it was last sent again; 0: never. */
  readonly replayedAtMs: number;
  /** By which operator; ''. */
  readonly replayedBy: string;
}

/** Most rows of one page, and most rows that one act sends again. */
export const replayRowsMax = 1_000;

/** A limit that a caller gave, within what one page and one act may have. */
export function replayLimitOf(limit: number): number {
  return Math.min(Math.max(limit, 1), replayRowsMax);
}

/** Throws Retry when MySQL cannot be reached. No method reads more than `limit` rows that fit. */
export interface ReplayStore {
  /** Rows in this state that fit, with ids above `afterId`, by id. */
  outboxRows(
    filter: OutboxFilter,
    status: OutboxStatus,
    afterId: bigint,
    limit: number,
  ): Promise<readonly ReviewedRow[]>;
  /** How many rows an act has sent again, or given up. */
  replayedRows(appCode: AppCode, commandId: CommandId): Promise<number>;
  /** Letters behind `after` (null: from the first on), by partition and offset. */
  deadLetters(after: RecordPlace | null, limit: number): Promise<readonly DeadLetter[]>;
  /** Null: none lies there. */
  deadLetter(place: RecordPlace): Promise<DeadLetter | null>;
}
