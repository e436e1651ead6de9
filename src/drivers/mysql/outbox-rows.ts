/**
 * How the statements of the outbox see a row, and the names of its states. BIGINT columns arrive as
 * text; whole times are numbers again behind this file, ids stay bigint.
 */
import type { AppCode, RoomId } from '../../domain/ids.ts';
import type { Destination } from '../../protocol/topics.ts';
import type { Row } from './session.ts';

/** States that are not an end. A row in one of them keeps the later rows of its stream waiting. */
export type UnfinishedStatus = 'pending' | 'retryable' | 'delivering';

/**
 * All of them, for SQL. `failed` is an end, though it holds later rows back where its destination
 * blocks; the historical `published` is none of ours.
 */
export const unfinishedStatuses: readonly UnfinishedStatus[] = [
  'pending',
  'retryable',
  'delivering',
];

/** A line of rows that must arrive in order: one room's rows for one destination. */
export interface Stream {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly destination: Destination;
}

/** A run as it is put together: the head first, the rows behind it later. */
export interface PlannedRun {
  readonly stream: Stream;
  readonly claimToken: string;
  readonly rowIds: readonly bigint[];
}

/** What planning needs to know of a row. `failed` ones are among them only where they block. */
export interface UnfinishedRow {
  readonly id: bigint;
  readonly status: UnfinishedStatus | 'failed';
  readonly claimToken: string;
  readonly lockUntilMs: number;
  readonly nextRetryAtMs: number;
  readonly startedCount: number;
}

/** Identity of a stream as a map key; NUL occurs in none of the parts. */
export function streamKey(stream: Stream): string {
  return `${stream.appCode}\0${stream.roomId}\0${stream.destination}`;
}

/** Reads `app_code, room_id, destination`. */
export function streamOf(row: Row): Stream {
  return {
    appCode: text(row['app_code']) as AppCode,
    roomId: text(row['room_id']) as RoomId,
    destination: text(row['destination']) as Destination,
  };
}

/** What `streamOf` and `unfinishedRowOf` read. */
export const streamColumns =
  'id, app_code, room_id, destination, status, claim_token, lock_until_ms, next_retry_at_ms, ' +
  'started_count';

/** Reads `streamColumns`. */
export function unfinishedRowOf(row: Row): UnfinishedRow {
  return {
    id: BigInt(text(row['id'])),
    status: text(row['status']) as UnfinishedRow['status'],
    claimToken: text(row['claim_token']),
    lockUntilMs: Number(row['lock_until_ms']),
    nextRetryAtMs: Number(row['next_retry_at_ms']),
    startedCount: Number(row['started_count']),
  };
}

/** A column's value as text. */
export function text(value: unknown): string {
  return String(value);
}

/**
 * SQL that is true for a row that may be claimed at `nowMs` (bound twice): the same rule as
 * `isClaimable` of `outbox-plan.ts`, checked once more by the writing statement itself.
 */
export const claimableSql =
  "(status = 'pending' OR (status = 'retryable' AND next_retry_at_ms <= ?) " +
  "OR (status = 'delivering' AND lock_until_ms <= ?))";

/**
 * SQL for the id of one row `o`, of those of the stream of row `h` that satisfy the condition; NULL: there
 * is none. With one status in it, and an order by id if any, it reads one entry of the key; with
 * several it is slower than a question for each.
 */
export const rowOfStreamSql = (condition: string): string =>
  '(SELECT o.id FROM room_outbox o FORCE INDEX (by_stream) WHERE o.app_code = h.app_code ' +
  `AND o.room_id = h.room_id AND o.destination = h.destination AND ${condition} LIMIT 1)`;

/** Longest `last_error` that the column holds, in characters. */
export const lastErrorCharsMax = 1000;

/** Cuts an error text to the column without splitting a character; lone surrogates are replaced. */
export function lastErrorText(error: string): string {
  const whole = error.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  );
  if (whole.length <= lastErrorCharsMax) return whole;
  const cut = whole.slice(0, lastErrorCharsMax - 1);
  return `${cut.replace(/[\ud800-\udbff]$/, '')}…`;
}
