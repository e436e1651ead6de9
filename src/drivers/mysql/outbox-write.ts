/**
 * Writing statements of the outbox that commit by themselves. A deadlock or a lock wait rolls such a
 * statement back as a whole, so it is simply run again.
 */
import type { ClaimRequest } from '../../ports/outbox-store.ts';
import { MysqlError } from './mysql-errors.ts';
import { claimableSql, text } from './outbox-rows.ts';
import type { PlannedRun, UnfinishedRow } from './outbox-rows.ts';
import type { MysqlSession, Row, Statement, StatementResult } from './session.ts';

/** Tries of one statement, the first included. A lock wait costs the session's lock wait limit. */
const triesMax = 4;

/** Runs the statement and answers how many rows its WHERE found. Throws MysqlError. */
export async function writeOutbox(
  session: MysqlSession,
  sql: string,
  values: readonly unknown[],
): Promise<number> {
  const [written] = await writeAndRead(session, { sql, values }, []);
  return written?.affected ?? 0;
}

/** The same with statements that read right behind it, when the write is committed; all in one packet. */
export async function writeAndRead(
  session: MysqlSession,
  write: Statement,
  reads: readonly Statement[],
): Promise<readonly StatementResult[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await session.runAll([write, ...reads]);
    } catch (thrown) {
      const again = thrown instanceof MysqlError && thrown.sort === 'deadlock';
      if (!again || tries >= triesMax) throw thrown;
    }
  }
}

/** Claims the rows, at least one, as far as they are still claimable. */
export function takeStatement(request: ClaimRequest, runs: readonly PlannedRun[]): Statement {
  const rows = runs.flatMap(({ rowIds, claimToken }) => rowIds.map((id) => ({ id, claimToken })));
  rows.sort((one, other) => (one.id < other.id ? -1 : 1));
  const ids = rows.map(({ id }) => id);
  const tokens = rows.map(({ claimToken }) => claimToken);
  const { workerId, nowMs, lockMs } = request;
  return {
    // INTERVAL finds a row's place among the sorted ids by halves; a CASE would try them one by one, which
    // for a batch of a thousand rows is half a million comparisons.
    sql:
      'UPDATE room_outbox FORCE INDEX (PRIMARY) SET worker_id = ?, ' +
      'claim_token = ELT(INTERVAL(id, ?), ?), ' +
      `status = 'delivering', lock_until_ms = ? WHERE id IN (?) AND ${claimableSql}`,
    values: [workerId, ids, tokens, nowMs + lockMs, ids, nowMs, nowMs],
  };
}

/**
 * Which of the rows nobody holds a lock on right now. A frozen process may sit on a few rows inside
 * its transaction until the server ends its connection; without this look every relay would wait for
 * those rows, and with them every other room. It is a look only: its own locks end with it.
 */
export async function lockableNow(
  session: MysqlSession,
  rowIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  if (rowIds.length === 0) return new Set();
  const { sql, values } = lockableStatement(rowIds);
  return idsOf(await session.rows(sql, values));
}

/** The same look as a statement; `idsOf` reads its answer. */
export function lockableStatement(rowIds: readonly bigint[]): Statement {
  return {
    sql: 'SELECT id FROM room_outbox FORCE INDEX (PRIMARY) WHERE id IN (?) FOR UPDATE SKIP LOCKED',
    values: [rowIds],
  };
}

/** The `id` of each row. */
export function idsOf(rows: readonly Row[]): ReadonlySet<bigint> {
  return new Set(rows.map((row) => BigInt(text(row['id']))));
}

/** `pending` again, counters untouched, as far as the rows are still the claim's. */
export function giveBackRows(
  session: MysqlSession,
  claimToken: string,
  rowIds: readonly bigint[],
): Promise<number> {
  return writeOutbox(
    session,
    "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'pending', claim_token = '', " +
      "worker_id = '', lock_until_ms = 0 " +
      "WHERE id IN (?) AND claim_token = ? AND status = 'delivering'",
    [rowIds, claimToken],
  );
}

/** Ends a row that was started too often without a finish: it kills its worker. */
export async function failKiller(
  session: MysqlSession,
  request: ClaimRequest,
  row: UnfinishedRow,
): Promise<void> {
  const error = `started ${row.startedCount} times without an end: it seems to stop its worker`;
  await writeOutbox(
    session,
    "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'failed', last_error = ?, " +
      'finished_at_ms = ?, lock_until_ms = 0 WHERE id = ? AND claim_token = ? ' +
      "AND status = 'delivering' AND lock_until_ms <= ? AND started_count >= ?",
    [error, request.nowMs, row.id, row.claimToken, request.nowMs, request.startedMax],
  );
}
