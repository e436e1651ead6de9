/**
 * Reads claimed runs with their envelopes and keeps of each what is certainly in order: the rows
 * from the head on, up to the first planned one that is not ours. What lies behind goes back.
 */
import type { EventId, RoomVersion } from '../../domain/ids.ts';
import type { ClaimedRow, ClaimedRun, ClaimRequest } from '../../ports/outbox-store.ts';
import { crc32c } from '../../protocol/crc32c.ts';
import { text } from './outbox-rows.ts';
import type { PlannedRun } from './outbox-rows.ts';
import { giveBackRows, writeOutbox } from './outbox-write.ts';
import type { MysqlSession, Row, Statement } from './session.ts';

/** Asks for claimed rows, at least one, with their envelopes. */
export function fetchStatement(rowIds: readonly bigint[]): Statement {
  return {
    sql:
      'SELECT o.id, o.claim_token, o.event_id, o.event_type, o.room_version, o.event_index, ' +
      'o.retry_count, o.started_count, o.useful_until_ms, e.envelope, e.envelope_crc32c FROM room_outbox o ' +
      'LEFT JOIN room_events e ON e.event_id = o.event_id ' +
      "WHERE o.id IN (?) AND o.status = 'delivering' ORDER BY o.id",
    values: [rowIds],
  };
}

/** The runs as the relay gets them, from what was fetched; runs of which nothing is left are absent. */
export async function keepFetched(
  session: MysqlSession,
  request: ClaimRequest,
  planned: readonly PlannedRun[],
  rows: readonly Row[],
): Promise<readonly ClaimedRun[]> {
  const byId = new Map(rows.map((row) => [text(row['id']), row]));
  const runs: ClaimedRun[] = [];
  for (const run of planned) {
    const kept: ClaimedRow[] = [];
    for (const rowId of run.rowIds) {
      const row = byId.get(String(rowId));
      if (row === undefined || row['claim_token'] !== run.claimToken) break;
      const fault = envelopeFault(row);
      if (fault !== null) {
        await failUnreadable(session, request, run.claimToken, rowId, fault);
        break;
      }
      kept.push(claimedRowOf(row));
    }
    const behind = run.rowIds.slice(kept.length);
    if (behind.length > 0) await giveBackRows(session, run.claimToken, behind);
    const { appCode, roomId, destination } = run.stream;
    const { claimToken } = run;
    if (kept.length > 0) runs.push({ claimToken, appCode, roomId, destination, rows: kept });
  }
  return runs;
}

function envelopeFault(row: Row): string | null {
  const envelope = row['envelope'];
  if (!(envelope instanceof Uint8Array)) return 'its event is missing from room_events';
  if (crc32c(envelope) === Number(row['envelope_crc32c'])) return null;
  return 'its envelope in room_events does not match its checksum';
}

/** Bytes that are damaged now will be damaged on every try: an operator has to look. */
async function failUnreadable(
  session: MysqlSession,
  request: ClaimRequest,
  claimToken: string,
  rowId: bigint,
  fault: string,
): Promise<void> {
  await writeOutbox(
    session,
    "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'failed', last_error = ?, " +
      "finished_at_ms = ?, lock_until_ms = 0 WHERE id = ? AND claim_token = ? AND status = 'delivering'",
    [fault, request.nowMs, rowId, claimToken],
  );
}

function claimedRowOf(row: Row): ClaimedRow {
  const usefulUntil = row['useful_until_ms'];
  return {
    rowId: BigInt(text(row['id'])),
    eventId: text(row['event_id']) as EventId,
    eventType: text(row['event_type']),
    roomVersion: BigInt(text(row['room_version'])) as RoomVersion,
    eventIndex: Number(row['event_index']),
    envelope: row['envelope'] as Uint8Array,
    retryCount: Number(row['retry_count']),
    usefulUntilMs: usefulUntil === null ? null : Number(usefulUntil),
    isSuspect: Number(row['started_count']) > 0,
  };
}
