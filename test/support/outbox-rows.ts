/** Rows of the outbox as tests put and see them. */
import { randomUUID } from 'node:crypto';
import type { AppCode, RoomId } from '../../src/domain/ids.ts';
import { roomKeyOf } from '../../src/domain/ids.ts';
import type { ClaimedRun, ClaimRequest } from '../../src/ports/outbox-store.ts';
import { crc32c } from '../../src/protocol/crc32c.ts';
import { outboxShardCount, outboxShardOf } from '../../src/protocol/outbox-shard.ts';
import type { Destination } from '../../src/protocol/topics.ts';

/** What a test may say about a row; the rest is a fresh pending row of destination `im`. */
export interface PutRow {
  readonly room: string;
  readonly version: number;
  readonly destination?: Destination;
  readonly status?: string;
  readonly claimToken?: string;
  readonly lockUntilMs?: number;
  readonly nextRetryAtMs?: number;
  readonly retryCount?: number;
  readonly startedCount?: number;
  readonly usefulUntilMs?: number;
}

/** A row as it lies in the table. */
export interface SeenRow {
  readonly status: string;
  readonly claimToken: string;
  readonly workerId: string;
  readonly lockUntilMs: number;
  readonly nextRetryAtMs: number;
  readonly retryCount: number;
  readonly startedCount: number;
  readonly lastError: string;
  readonly finishedAtMs: number | null;
}

export const outboxApp = 'app1' as AppCode;
/** The relay's wall clock in tests; the table knows no other. */
export const nowMs = 1_700_000_000_000;

type Sql = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
type Row = Readonly<Record<string, unknown>>;

/** Puts rows with their events; answers their ids, which ascend in the order given. */
export async function putRows(sql: Sql, rows: readonly PutRow[]): Promise<bigint[]> {
  const all = rows.map((row) => ({ ...row, eventId: randomUUID() }));
  await sql(
    'INSERT INTO room_events (app_code, room_id, room_version, event_index, event_id, ' +
      'event_type, occurred_at_ms, envelope, envelope_crc32c) VALUES ?',
    [all.map(eventValues)],
  );
  await sql(
    'INSERT INTO room_outbox (event_id, app_code, room_id, room_version, event_index, event_type, ' +
      'destination, shard, status, worker_id, claim_token, lock_until_ms, next_retry_at_ms, ' +
      'retry_count, started_count, useful_until_ms, created_at_ms) VALUES ?',
    [all.map(outboxValues)],
  );
  const found = await sql('SELECT id, event_id FROM room_outbox WHERE event_id IN (?)', [
    all.map((row) => row.eventId),
  ]);
  const ids = new Map(found.map((row) => [String(row['event_id']), BigInt(String(row['id']))]));
  return all.map((row) => ids.get(row.eventId) as bigint);
}

type IdentifiedRow = PutRow & { readonly eventId: string };

function eventValues(row: IdentifiedRow): unknown[] {
  const envelope = Buffer.from(`${row.room} ${row.version}`, 'utf8');
  // The destination as index: several rows of one version stand for several events of it.
  const index = { im: 0, activity: 1, rtc: 2 }[row.destination ?? 'im'];
  const { room, version, eventId } = row;
  const checksum = crc32c(envelope);
  return [outboxApp, room, version, index, eventId, 'RoomUserJoined', 1, envelope, checksum];
}

function outboxValues(row: IdentifiedRow): unknown[] {
  return [
    row.eventId,
    outboxApp,
    row.room,
    row.version,
    0,
    'RoomUserJoined',
    row.destination ?? 'im',
    outboxShardOf(roomKeyOf(outboxApp, row.room as RoomId)),
    row.status ?? 'pending',
    '',
    row.claimToken ?? '',
    row.lockUntilMs ?? 0,
    row.nextRetryAtMs ?? 0,
    row.retryCount ?? 0,
    row.startedCount ?? 0,
    row.usefulUntilMs ?? null,
    1,
  ];
}

/** Reads a row. */
export async function seeRow(sql: Sql, rowId: bigint): Promise<SeenRow> {
  const [row] = await sql('SELECT * FROM room_outbox WHERE id = ?', [rowId]);
  if (row === undefined) throw new Error(`there is no outbox row ${rowId}`);
  const finished = row['finished_at_ms'];
  return {
    status: String(row['status']),
    claimToken: String(row['claim_token']),
    workerId: String(row['worker_id']),
    lockUntilMs: Number(row['lock_until_ms']),
    nextRetryAtMs: Number(row['next_retry_at_ms']),
    retryCount: Number(row['retry_count']),
    startedCount: Number(row['started_count']),
    lastError: String(row['last_error']),
    finishedAtMs: finished === null ? null : Number(finished),
  };
}

let tokens = 0;

/** A claim of everything; `fields` says what the test cares about. */
export function claimOf(fields: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    shards: Array.from({ length: outboxShardCount }, (_, shard) => shard),
    destinations: ['im', 'activity', 'rtc'],
    workerId: 'relay-1',
    newClaimToken: () => `token-${(tokens += 1)}`,
    nowMs,
    lockMs: 60_000,
    batchSize: 100,
    runSize: 10,
    unconfirmedMax: 1_000,
    startedMax: 3,
    ...fields,
  };
}

/** `room/destination: versions` of each run, sorted, for comparing. */
export function shownRuns(runs: readonly ClaimedRun[]): string[] {
  return runs
    .map((run) => {
      const versions = run.rows.map((row) => String(row.roomVersion)).join(',');
      return `${run.roomId}/${run.destination}: ${versions}`;
    })
    .sort();
}
