/**
 * The adapter's side of a row's life: start and finish, each one transaction whose WHERE clauses
 * alone decide what changes (OUT-22).
 *
 * Race D, a late finish: (1) the claim of adapter A expires while it sends. (2) Relay S claims the
 * row anew, for adapter B. (3) A reports. If it says *delivered*, the row ends whoever claims it: it
 * did arrive, and B's own report then changes nothing. If it says *failed*, the token differs and
 * nothing changes: B is at work. Tests: "a late mark …" (outbox-finish-contract).
 *
 * Race E, a start behind somebody else's head: (1) the claim of rows 1 to 3 expires in the topic.
 * (2) A relay with a smaller batch claims row 1 anew; 2 and 3 keep the old token. (3) The old record
 * comes to its adapter, which starts 1 to 3: the database would grant 2 and 3, and they would be
 * sent before 1. So a start is refused as a whole while an older row of the stream is unfinished
 * under another claim. Test: "a start is refused while an older row is unfinished elsewhere".
 *
 * Race F, a start behind a failed row that blocks: (1) and (2) as in race E. (3) The new claim of row 1
 * ends as `failed`. (4) The old record comes, and finds no row unfinished before 2 and 3. So `failed`
 * counts as unfinished where the destination blocks. Test: "a start is refused behind a failed row".
 */
import type {
  BlockingDestinations,
  FinishResult,
  RunFinish,
  StartedRow,
} from '../../ports/outbox-store.ts';
import { toFailure } from './mysql-errors.ts';
import { lastErrorText, text, unfinishedStatuses } from './outbox-rows.ts';
import { writeOutbox } from './outbox-write.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession, Row } from './session.ts';

/** What `last_error` of a row says that was confirmed without being sent. */
const supersededNote = 'not sent: its time of use was over (superseded)';

/** See the port. */
export function startRows(
  pool: MysqlPool,
  claimToken: string,
  rowIds: readonly bigint[],
  lockUntilMs: number,
  blocking: BlockingDestinations,
): Promise<readonly StartedRow[]> {
  if (rowIds.length === 0) return Promise.resolve([]);
  return pool.transaction('outbox start', async (session) => {
    const rows = await session.rows(
      'SELECT id, app_code, room_id, destination, retry_count, useful_until_ms ' +
        'FROM room_outbox FORCE INDEX (PRIMARY) ' +
        "WHERE id IN (?) AND claim_token = ? AND status = 'delivering' ORDER BY id FOR UPDATE",
      [rowIds, claimToken],
    );
    const oldest = rows[0];
    if (oldest === undefined) return [];
    if (await olderElsewhere(session, claimToken, oldest, blocking)) return [];
    await session.run(
      'UPDATE room_outbox FORCE INDEX (PRIMARY) SET started_count = started_count + 1, ' +
        'lock_until_ms = GREATEST(lock_until_ms, ?) ' +
        "WHERE id IN (?) AND claim_token = ? AND status = 'delivering'",
      [lockUntilMs, rowIds, claimToken],
    );
    return rows.map(startedRowOf);
  });
}

/** See the races E and F. */
async function olderElsewhere(
  session: MysqlSession,
  claimToken: string,
  oldest: Row,
  blocking: BlockingDestinations,
): Promise<boolean> {
  const blocks = blocking.some((destination) => destination === oldest['destination']);
  const older = await session.rows(
    'SELECT id FROM room_outbox FORCE INDEX (by_stream) WHERE app_code = ? AND room_id = ? ' +
      'AND destination = ? AND status IN (?) AND id < ? AND claim_token <> ? LIMIT 1',
    [
      text(oldest['app_code']),
      text(oldest['room_id']),
      text(oldest['destination']),
      blocks ? [...unfinishedStatuses, 'failed'] : [...unfinishedStatuses],
      BigInt(text(oldest['id'])),
      claimToken,
    ],
  );
  return older.length > 0;
}

function startedRowOf(row: Row): StartedRow {
  const usefulUntil = row['useful_until_ms'];
  return {
    rowId: BigInt(text(row['id'])),
    retryCount: Number(row['retry_count']),
    usefulUntilMs: usefulUntil === null ? null : Number(usefulUntil),
  };
}

/** See the port. */
export function finishRows(
  pool: MysqlPool,
  claimToken: string,
  finish: RunFinish,
  nowMs: number,
): Promise<FinishResult> {
  if (finish.kind === 'delivered' && (finish.supersededRowIds ?? []).length === 0) {
    return finishAtOnce(pool, finish.rowIds, nowMs);
  }
  return pool.transaction('outbox finish', async (session) => {
    const superseded = new Set(finish.supersededRowIds ?? []);
    const ended = finish.kind === 'delivered' ? finish.rowIds : finish.deliveredRowIds;
    const sent = ended.filter((id) => !superseded.has(id));
    let delivered = await markDelivered(session, sent, '', nowMs);
    delivered += await markDelivered(session, [...superseded], supersededNote, nowMs);
    if (finish.kind === 'delivered') {
      return { delivered, failedRowState: null, returnedToPending: 0 };
    }
    const failedRowState = await markFailure(session, claimToken, finish, nowMs);
    const returnedToPending = await returnBehind(session, claimToken, finish.failedRowId);
    return { delivered, failedRowState, returnedToPending };
  });
}

/** What nearly every finish is: one statement, which is a transaction by itself. */
async function finishAtOnce(
  pool: MysqlPool,
  rowIds: readonly bigint[],
  nowMs: number,
): Promise<FinishResult> {
  const ended = { failedRowState: null, returnedToPending: 0 } as const;
  if (rowIds.length === 0) return { delivered: 0, ...ended };
  try {
    const delivered = await pool.withSession((session) =>
      writeOutbox(session, deliveredSql, ['', nowMs, rowIds, [...unfinishedStatuses]]),
    );
    return { delivered, ...ended };
  } catch (thrown) {
    throw toFailure(thrown, 'outbox finish');
  }
}

const deliveredSql =
  "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'delivered', last_error = ?, " +
  'lock_until_ms = 0, finished_at_ms = ? WHERE id IN (?) AND status IN (?)';

/** Ends rows from any unfinished state; rows that have ended stay as they are. */
async function markDelivered(
  session: MysqlSession,
  rowIds: readonly bigint[],
  note: string,
  nowMs: number,
): Promise<number> {
  if (rowIds.length === 0) return 0;
  const values = [note, nowMs, rowIds, [...unfinishedStatuses]];
  return (await session.run(deliveredSql, values)).affected;
}

/** RETRY-1 to RETRY-3; the counter of starts begins anew, for the worker survived this row. */
async function markFailure(
  session: MysqlSession,
  claimToken: string,
  finish: Extract<RunFinish, { kind: 'failed' }>,
  nowMs: number,
): Promise<FinishResult['failedRowState']> {
  const [row] = await session.rows(
    'SELECT retry_count FROM room_outbox FORCE INDEX (PRIMARY) ' +
      "WHERE id = ? AND claim_token = ? AND status = 'delivering' FOR UPDATE",
    [finish.failedRowId, claimToken],
  );
  if (row === undefined) return null;
  const retryCount = Number(row['retry_count']) + (finish.countsAsTry || finish.permanent ? 1 : 0);
  const isOver = finish.permanent || (finish.countsAsTry && retryCount >= finish.maxRetryCount);
  const state = isOver ? 'failed' : 'retryable';
  await session.run(
    'UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = ?, retry_count = ?, ' +
      "started_count = 0, next_retry_at_ms = ?, last_error = ?, claim_token = '', " +
      'lock_until_ms = 0, finished_at_ms = ? ' +
      "WHERE id = ? AND claim_token = ? AND status = 'delivering'",
    [
      state,
      retryCount,
      isOver ? 0 : finish.nextRetryAtMs,
      lastErrorText(finish.error),
      isOver ? nowMs : null,
      finish.failedRowId,
      claimToken,
    ],
  );
  return state;
}

/**
 * The claim's rows behind the failing one were not sent: `pending` again. The start of this claim is
 * undone in their counter, since its worker did finish.
 */
async function returnBehind(
  session: MysqlSession,
  claimToken: string,
  failedRowId: bigint,
): Promise<number> {
  const { affected } = await session.run(
    "UPDATE room_outbox FORCE INDEX (by_claim) SET status = 'pending', claim_token = '', " +
      "worker_id = '', lock_until_ms = 0, started_count = GREATEST(started_count - 1, 0) " +
      "WHERE claim_token = ? AND id > ? AND status = 'delivering'",
    [claimToken, failedRowId],
  );
  return affected;
}
