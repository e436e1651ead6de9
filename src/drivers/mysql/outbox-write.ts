/**
 * Single writing statements of the outbox that commit by themselves. A deadlock or a lock wait rolls
 * such a statement back as a whole, so it is simply run again.
 */
import { MysqlError } from './mysql-errors.ts';
import { text } from './outbox-rows.ts';
import type { MysqlSession } from './session.ts';

/** Tries of one statement, the first included. A lock wait costs the session's lock wait limit. */
const triesMax = 4;

/** Runs the statement and answers how many rows its WHERE found. Throws MysqlError. */
export async function writeOutbox(
  session: MysqlSession,
  sql: string,
  values: readonly unknown[],
): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await session.run(sql, values)).affected;
    } catch (thrown) {
      const again = thrown instanceof MysqlError && thrown.sort === 'deadlock';
      if (!again || tries >= triesMax) throw thrown;
    }
  }
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
  const rows = await session.rows(
    'SELECT id FROM room_outbox FORCE INDEX (PRIMARY) WHERE id IN (?) FOR UPDATE SKIP LOCKED',
    [rowIds],
  );
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
