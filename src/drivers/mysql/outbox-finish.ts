/**
 * Finishes of runs, each one transaction whose WHERE clauses alone decide what changes (OUT-22). What
 * nearly every finish is, rows that were delivered, is written together with others that come with it,
 * as far as nobody holds its rows; what is locked, has ended or failed has a transaction of its own.
 *
 * Race D, a late finish: (1) the claim of adapter A expires while it sends. (2) Relay S claims the
 * row anew, for adapter B. (3) A reports. If it says *delivered*, the row ends whoever claims it: it
 * did arrive, and B's own report then changes nothing. If it says *failed*, the token differs and
 * nothing changes: B is at work. Tests: "a late mark …" (outbox-finish-contract).
 *
 * A group whose COMMIT got no answer is a Retry to each of its callers, and to call again is harmless:
 * rows that have ended stay as they are.
 */
import type { FinishResult, RunFinish } from '../../ports/outbox-store.ts';
import { toFailure } from './mysql-errors.ts';
import { lastErrorText, unfinishedStatuses } from './outbox-rows.ts';
import { idsOf, writeOutbox } from './outbox-write.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession, Statement } from './session.ts';

/** What `last_error` of a row says that was confirmed without being sent. */
const supersededNote = 'not sent: its time of use was over (superseded)';

/** A call of `finish`. */
export interface FinishCall {
  readonly claimToken: string;
  readonly finish: RunFinish;
  readonly nowMs: number;
}

/** Answers of the calls in their order. A call that had to go by itself is still under way. */
export async function finishRuns(
  pool: MysqlPool,
  calls: readonly FinishCall[],
): Promise<readonly (FinishResult | Promise<FinishResult>)[]> {
  const alone = (call: FinishCall): Promise<FinishResult> => finishAlone(pool, call);
  const plain = calls.filter(isPlain);
  if (plain.length === 0) return calls.map(alone);
  const together = await finishTogether(pool, plain);
  return calls.map((call) => together.get(call) ?? alone(call));
}

type DeliveredCall = FinishCall & { readonly finish: { readonly kind: 'delivered' } };

/** All of its rows were sent and arrived, and there are some. */
function isPlain(call: FinishCall): call is DeliveredCall {
  const { finish } = call;
  if (finish.kind !== 'delivered' || finish.rowIds.length === 0) return false;
  return (finish.supersededRowIds ?? []).length === 0;
}

/** The calls all of whose rows could be ended at once; the others are absent. */
function finishTogether(
  pool: MysqlPool,
  calls: readonly DeliveredCall[],
): Promise<ReadonlyMap<FinishCall, FinishResult>> {
  const rowIds = calls.flatMap(({ finish }) => finish.rowIds);
  const nowMs = Math.max(...calls.map((call) => call.nowMs));
  const lock = { sql: lockUnfinishedSql, values: [rowIds, [...unfinishedStatuses]] };
  return pool.twoStepTransaction('outbox finish', [lock], ([found]) => {
    const { results, ended } = endedBy(calls, new Set(idsOf(found?.rows ?? [])));
    const writes = ended.length === 0 ? [] : [deliveredStatement(ended, '', nowMs)];
    return { writes, answer: results };
  });
}

/** What each call ends of the rows that were found free; takes those from the set. */
function endedBy(
  calls: readonly DeliveredCall[],
  free: Set<bigint>,
): { readonly results: ReadonlyMap<FinishCall, FinishResult>; readonly ended: readonly bigint[] } {
  const results = new Map<FinishCall, FinishResult>();
  const ended: bigint[] = [];
  for (const call of calls) {
    const ids = [...new Set(call.finish.rowIds)];
    if (!ids.every((id) => free.has(id))) continue;
    // Named twice in one group, a row is counted once: the second call finds it ended.
    for (const id of ids) free.delete(id);
    ended.push(...ids);
    results.set(call, { delivered: ids.length, failedRowState: null, returnedToPending: 0 });
  }
  return { results, ended };
}

const lockUnfinishedSql =
  'SELECT id FROM room_outbox FORCE INDEX (PRIMARY) WHERE id IN (?) AND status IN (?) ' +
  'ORDER BY id FOR UPDATE SKIP LOCKED';

function finishAlone(
  pool: MysqlPool,
  { claimToken, finish, nowMs }: FinishCall,
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

/** One statement, which is a transaction by itself. */
async function finishAtOnce(
  pool: MysqlPool,
  rowIds: readonly bigint[],
  nowMs: number,
): Promise<FinishResult> {
  const ended = { failedRowState: null, returnedToPending: 0 } as const;
  if (rowIds.length === 0) return { delivered: 0, ...ended };
  const { sql, values } = deliveredStatement(rowIds, '', nowMs);
  try {
    const delivered = await pool.withSession((session) => writeOutbox(session, sql, values));
    return { delivered, ...ended };
  } catch (thrown) {
    throw toFailure(thrown, 'outbox finish');
  }
}

/** Ends rows from any unfinished state; rows that have ended stay as they are. */
function deliveredStatement(rowIds: readonly bigint[], note: string, nowMs: number): Statement {
  return {
    sql:
      "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'delivered', last_error = ?, " +
      'lock_until_ms = 0, finished_at_ms = ? WHERE id IN (?) AND status IN (?)',
    values: [note, nowMs, rowIds, [...unfinishedStatuses]],
  };
}

async function markDelivered(
  session: MysqlSession,
  rowIds: readonly bigint[],
  note: string,
  nowMs: number,
): Promise<number> {
  if (rowIds.length === 0) return 0;
  const { sql, values } = deliveredStatement(rowIds, note, nowMs);
  return (await session.run(sql, values)).affected;
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
