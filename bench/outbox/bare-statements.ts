/**
 * What the outbox writes of a row, and nothing else: claim, start and finish as three statements by
 * primary key over many rows, each committed by itself, by several callers at once.
 */
import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { OutboxRig } from './outbox-rig.ts';

const callers = 4;
const rowsPerStatement = 100;

/** Rows a second. */
export async function bareStatements(sql: Pool, rig: OutboxRig, rows: number): Promise<number> {
  for (let at = 0; at < rows; at += 1_000) await rig.store(Math.min(1_000, rows - at));
  const [found] = await sql.query<RowDataPacket[]>(
    "SELECT id FROM room_outbox WHERE status = 'pending'",
  );
  const ids = found.map((row) => String(row['id']));
  const batches: string[][] = [];
  for (let at = 0; at < ids.length; at += rowsPerStatement) {
    batches.push(ids.slice(at, at + rowsPerStatement));
  }
  const startedMs = performance.now();
  const caller = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      await sql.query(
        "UPDATE room_outbox SET status = 'delivering', worker_id = 'bare', claim_token = 't', " +
          'lock_until_ms = 1 WHERE id IN (?)',
        [batch],
      );
      await sql.query(
        'UPDATE room_outbox SET started_count = started_count + 1, lock_until_ms = 2 ' +
          'WHERE id IN (?)',
        [batch],
      );
      await sql.query(
        "UPDATE room_outbox SET status = 'delivered', lock_until_ms = 0, finished_at_ms = 1 " +
          'WHERE id IN (?)',
        [batch],
      );
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return ids.length / ((performance.now() - startedMs) / 1_000);
}
