/** What acts of operators write that send something again, within the transaction of their audit row. */
import type { OperatorAct } from '../../ports/operator-store.ts';
import { replayLimitOf } from '../../ports/replay-store.ts';
import { outboxWhere } from './outbox-filter.ts';
import { text } from './outbox-rows.ts';
import type { MysqlSession } from './session.ts';

type ReplayOutbox = OperatorAct & { readonly type: 'ReplayOutbox' };
type DismissOutbox = OperatorAct & { readonly type: 'DismissOutbox' };
type ReplayDeadLetter = OperatorAct & { readonly type: 'ReplayDeadLetter' };

/**
 * Lets failed rows begin anew: counters, lock and claim of the life before are gone, the event id
 * stays (RETRY-6, RETRY-9). What each had come to is kept under the act.
 *
 * Race: a run of later rows of the stream is on its way.
 *   1. Rows 5 and 6 of a stream are claimed; row 2 of it is failed and was stepped over.
 *   2. Row 2 is replayed.
 *   3. The adapter starts 5 and 6: an older row is unfinished elsewhere, so that the start is refused,
 *      and both wait for the end of their claim (race E of `outbox-finish.ts`). Order holds from here
 *      on, at the cost of one claim's lock. Rows that were started already arrive before row 2.
 */
export async function replayRows(
  session: MysqlSession,
  act: ReplayOutbox,
  nowMs: number,
): Promise<void> {
  const ids = await keepFailed(session, act, nowMs);
  if (ids.length === 0) return;
  await session.run(
    "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'pending', worker_id = '', " +
      "claim_token = '', lock_until_ms = 0, next_retry_at_ms = 0, retry_count = 0, " +
      "started_count = 0, finished_at_ms = NULL WHERE id IN (?) AND status = 'failed'",
    [ids],
  );
}

/**
 * Takes failed rows away for good, and keeps what each had come to under the act. They are held from
 * the look on, so that a replay at the same time finds them failed or not at all.
 */
export async function dismissRows(
  session: MysqlSession,
  act: DismissOutbox,
  nowMs: number,
): Promise<void> {
  const ids = await keepFailed(session, act, nowMs);
  if (ids.length === 0) return;
  await session.run("DELETE FROM room_outbox WHERE id IN (?) AND status = 'failed'", [ids]);
}

/** Locks the failed rows that are meant, keeps what they had come to, and answers their ids. */
async function keepFailed(
  session: MysqlSession,
  act: ReplayOutbox | DismissOutbox,
  nowMs: number,
): Promise<readonly bigint[]> {
  const { source, values } = outboxWhere(act, 'failed');
  const found = await session.rows(`SELECT id ${source} ORDER BY id LIMIT ? FOR UPDATE`, [
    ...values,
    replayLimitOf(act.limit),
  ]);
  if (found.length === 0) return [];
  const ids = found.map((row) => BigInt(text(row['id'])));
  await session.run(
    'INSERT INTO outbox_replays (app_code, command_id, outbox_id, event_id, destination, ' +
      'retry_count, started_count, last_error, failed_at_ms, replayed_at_ms) ' +
      'SELECT ?, ?, id, event_id, destination, retry_count, started_count, last_error, ' +
      'finished_at_ms, ? FROM room_outbox FORCE INDEX (PRIMARY) WHERE id IN (?)',
    [act.appCode, act.commandId, nowMs, ids],
  );
  return ids;
}

/** What was meant, in the audit; the room and the time stand in columns of their own. */
export function replayedText({
  eventId,
  destination,
  eventType,
  limit,
}: ReplayOutbox | DismissOutbox): string {
  const any = (word: string): string => (word === '' ? '*' : word);
  return `event:${any(eventId)} type:${any(eventType)} to:${any(destination)} most:${limit}`;
}

const theLetter = 'WHERE topic = ? AND partition_id = ? AND kafka_offset = ?';

/** Whether the record lies there with its bytes; holds it until the transaction ends. */
export async function isSetAside(
  session: MysqlSession,
  topic: string,
  { partition, offset }: ReplayDeadLetter,
): Promise<boolean> {
  const rows = await session.rows(
    `SELECT 1 FROM room_dead_letters ${theLetter} AND record_value IS NOT NULL FOR UPDATE`,
    [topic, partition, offset],
  );
  return rows.length > 0;
}

/** Says at the letter that it was sent again, and by whom. */
export async function noteReplay(
  session: MysqlSession,
  topic: string,
  { partition, offset, operatorId }: ReplayDeadLetter,
  nowMs: number,
): Promise<void> {
  await session.run(
    `UPDATE room_dead_letters SET replayed_at_ms = ?, replayed_by = ? ${theLetter}`,
    [nowMs, operatorId, topic, partition, offset],
  );
}
