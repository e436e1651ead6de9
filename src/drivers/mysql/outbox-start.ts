/**
 * Starts of runs: one transaction whose WHERE clauses alone decide what may be sent (OUT-22). Starts
 * that come together share it, as far as nothing stands in their way: what a start finds locked, or no
 * longer its own, it meets in a transaction of its own, so that no other run waits for it.
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
 *
 * A group whose COMMIT got no answer is a Retry to each of its callers. Whoever calls again raises the
 * counter twice, which can only find a row that kills its worker sooner.
 */
import type { BlockingDestinations, StartedRow } from '../../ports/outbox-store.ts';
import { rowOfStreamSql, text } from './outbox-rows.ts';
import { idsOf } from './outbox-write.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession, Row, Statement } from './session.ts';

/** A call of `start`; `rowIds` names at least one row. */
export interface StartCall {
  readonly claimToken: string;
  readonly rowIds: readonly bigint[];
  readonly lockUntilMs: number;
}

/** The rows of a start, all locked by its transaction, the oldest first. */
interface HeldStart {
  readonly call: StartCall;
  readonly rows: readonly Row[];
  readonly oldestId: bigint;
}

/** Answers of the calls in their order. A call that had to go by itself is still under way. */
export async function startRuns(
  pool: MysqlPool,
  calls: readonly StartCall[],
  blocking: BlockingDestinations,
): Promise<readonly (readonly StartedRow[] | Promise<readonly StartedRow[]>)[]> {
  const alone = (call: StartCall): Promise<readonly StartedRow[]> =>
    pool.transaction('outbox start', (session) => startAlone(session, call, blocking));
  const together = await startTogether(pool, calls, blocking);
  return calls.map((call) => together.get(call) ?? alone(call));
}

async function startAlone(
  session: MysqlSession,
  call: StartCall,
  blocking: BlockingDestinations,
): Promise<readonly StartedRow[]> {
  const rows = await session.rows(`${rowsSql} AND claim_token = ? ORDER BY id FOR UPDATE`, [
    [...call.rowIds],
    call.claimToken,
  ]);
  const oldest = rows[0];
  if (oldest === undefined) return [];
  const behind = behindStatement([BigInt(text(oldest['id']))], blocking);
  if ((await session.rows(behind.sql, behind.values)).length > 0) return [];
  const raise = raiseStatement(rows, call.lockUntilMs);
  await session.run(raise.sql, raise.values);
  return rows.map(startedRowOf);
}

/** The calls that could be answered at once; the others are absent. */
function startTogether(
  pool: MysqlPool,
  calls: readonly StartCall[],
  blocking: BlockingDestinations,
): Promise<ReadonlyMap<StartCall, readonly StartedRow[]>> {
  // The latest of the group's: an adapter may believe in a lock that ends sooner, never in a later one.
  const lockUntilMs = Math.max(...calls.map((call) => call.lockUntilMs));
  const reads = [
    {
      sql: `${rowsSql} ORDER BY id FOR UPDATE SKIP LOCKED`,
      values: [calls.flatMap((call) => call.rowIds)],
    },
    // Asked behind the locks. For a call that does not hold its rows the answer counts for nothing.
    behindStatement(
      calls.flatMap((call) => inOrder(call.rowIds).slice(0, 1)),
      blocking,
    ),
  ];
  return pool.twoStepTransaction('outbox start', reads, ([found, older]) => {
    const held = heldStarts(calls, found?.rows ?? []);
    const behind = idsOf(older?.rows ?? []);
    const refused = (start: HeldStart): boolean => behind.has(start.oldestId);
    const granted = held.filter((start) => !refused(start)).flatMap(({ rows }) => rows);
    return {
      writes: granted.length === 0 ? [] : [raiseStatement(granted, lockUntilMs)],
      answer: new Map(
        held.map((start) => [start.call, refused(start) ? [] : start.rows.map(startedRowOf)]),
      ),
    };
  });
}

/** Those calls of which every row is under the claim and ours to write, and in no call before them. */
function heldStarts(calls: readonly StartCall[], found: readonly Row[]): readonly HeldStart[] {
  const byId = new Map(found.map((row) => [text(row['id']), row]));
  const held: HeldStart[] = [];
  for (const call of calls) {
    const rows: Row[] = [];
    const ids = inOrder(call.rowIds);
    for (const id of ids) {
      const row = byId.get(String(id));
      if (row !== undefined && row['claim_token'] === call.claimToken) rows.push(row);
    }
    const [oldestId] = ids;
    if (oldestId === undefined || rows.length < ids.length) continue;
    for (const id of ids) byId.delete(String(id));
    held.push({ call, rows, oldestId });
  }
  return held;
}

/** Each once, the oldest first. */
function inOrder(rowIds: readonly bigint[]): readonly bigint[] {
  return [...new Set(rowIds)].sort((one, other) => (one < other ? -1 : 1));
}

/** Of these rows, at least one, those before which an older one stands; see the races E and F. */
function behindStatement(rowIds: readonly bigint[], blocking: BlockingDestinations): Statement {
  const isBlocking = blocking.length > 0;
  return { sql: behindSql(isBlocking), values: [rowIds, ...(isBlocking ? [[...blocking]] : [])] };
}

/** The rows, at least one, are locked by this transaction: nobody else changes them before it ends. */
function raiseStatement(rows: readonly Row[], lockUntilMs: number): Statement {
  return {
    sql:
      'UPDATE room_outbox FORCE INDEX (PRIMARY) SET started_count = started_count + 1, ' +
      "lock_until_ms = GREATEST(lock_until_ms, ?) WHERE id IN (?) AND status = 'delivering'",
    values: [lockUntilMs, rows.map((row) => BigInt(text(row['id'])))],
  };
}

const rowsSql =
  'SELECT id, claim_token, app_code, room_id, destination, retry_count, useful_until_ms ' +
  "FROM room_outbox FORCE INDEX (PRIMARY) WHERE id IN (?) AND status = 'delivering'";

/** Ids are bound as a list, and blocking destinations as another, if there are any. */
const behindSql = (isBlocking: boolean): string =>
  'SELECT h.id FROM room_outbox h FORCE INDEX (PRIMARY) WHERE h.id IN (?) AND (' +
  `${rowOfStreamSql("o.status = 'pending' ORDER BY o.id")} < h.id OR ` +
  `${rowOfStreamSql("o.status = 'retryable' AND o.id < h.id")} IS NOT NULL OR ` +
  `${rowOfStreamSql("o.status = 'delivering' AND o.id < h.id AND o.claim_token <> h.claim_token")} ` +
  'IS NOT NULL' +
  (isBlocking
    ? ` OR (h.destination IN (?) AND ${rowOfStreamSql("o.status = 'failed' ORDER BY o.id")} < h.id))`
    : ')');

function startedRowOf(row: Row): StartedRow {
  const usefulUntil = row['useful_until_ms'];
  return {
    rowId: BigInt(text(row['id'])),
    retryCount: Number(row['retry_count']),
    usefulUntilMs: usefulUntil === null ? null : Number(usefulUntil),
  };
}
