/**
 * One round of a relay on the memory database, as one step: what the real store does in several
 * statements with races between them (`outbox-races`), nobody can come between here. A round that
 * ends half-way is brought about by a lost answer: claimed, and nobody knows by whom.
 */
import type {
  BlockingDestinations,
  ClaimedRow,
  ClaimedRun,
  ClaimRequest,
} from '../../ports/outbox-store.ts';
import type { Destination } from '../../protocol/topics.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import { streamKey, type OutboxRow } from './memory-rows.ts';
import type { RowChange } from './memory-session.ts';

/** What may still be claimed in this round. */
interface Budget {
  left: number;
  readonly perDestination: Map<Destination, number>;
}

interface Plan {
  /** Rows that may go as one run, the oldest first. */
  readonly rows: readonly OutboxRow[];
  readonly claimToken: string;
  taken: number;
}

/** Claims runs; everything of the round is one commit. */
export function claimRuns(
  database: MemoryDatabase,
  request: ClaimRequest,
  blocking: BlockingDestinations,
): ClaimedRun[] {
  const changes: RowChange[] = [];
  const open = unfinishedRows(database, request);
  const budget = openBudget(open, request);
  const plans: Plan[] = [];
  // Every room gets its oldest row before any gets its second, so none is starved by another.
  for (const rows of streamsOf(open)) {
    const head = rows[0];
    if (head === undefined || roomFor(head, budget) <= 0) continue;
    const isFree = (row: OutboxRow): boolean => !isBehindFailed(database, row, blocking);
    if (!isFree(head)) continue;
    const planned = plannedRun(rows, request);
    if (planned === 'killer') changes.push(put(database.outbox, head.rowId, ended(head, request)));
    if (planned === 'killer' || planned.length === 0) continue;
    spend(budget, head, 1);
    plans.push({ rows: planned.filter(isFree), claimToken: request.newClaimToken(), taken: 1 });
  }
  for (const plan of plans) {
    const head = plan.rows[0];
    if (head === undefined) continue;
    const more = Math.min(plan.rows.length - 1, Math.max(roomFor(head, budget), 0));
    spend(budget, head, more);
    plan.taken += more;
  }
  const runs = plans.flatMap((plan) => runOf(database, request, plan, changes));
  database.commit(changes);
  return runs;
}

/** Whether a failed row of its stream holds the row back. */
export function isBehindFailed(
  { outbox }: MemoryDatabase,
  row: OutboxRow,
  blocking: BlockingDestinations,
): boolean {
  if (!blocking.includes(row.destination)) return false;
  return outbox.rowsBy('failed', streamKey(row)).some(({ rowId }) => rowId < row.rowId);
}

function unfinishedRows({ outbox }: MemoryDatabase, request: ClaimRequest): OutboxRow[] {
  const wanted = new Set(request.destinations);
  return request.shards
    .flatMap((shard) => outbox.rowsBy('open', String(shard)))
    .filter(({ destination }) => wanted.has(destination))
    .sort((one, other) => (one.rowId < other.rowId ? -1 : 1));
}

/** Streams with their rows, by the age of the oldest. */
function streamsOf(rows: readonly OutboxRow[]): OutboxRow[][] {
  const streams = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const key = streamKey(row);
    const stream = streams.get(key);
    if (stream === undefined) streams.set(key, [row]);
    else stream.push(row);
  }
  return [...streams.values()];
}

/** Rows whose lock ran out are nobody's: they do not count. */
function openBudget(rows: readonly OutboxRow[], request: ClaimRequest): Budget {
  const perDestination = new Map(
    request.destinations.map((name) => {
      const underWay = rows.filter((row) => row.destination === name && isUnderWay(row, request));
      return [name, request.unconfirmedMax - underWay.length];
    }),
  );
  return { left: request.batchSize, perDestination };
}

/**
 * The run that begins at the oldest row, or none while it waits or somebody is at work. A row that
 * was started and never finished goes alone; started too often, it seems to end its worker.
 */
function plannedRun(rows: readonly OutboxRow[], request: ClaimRequest): OutboxRow[] | 'killer' {
  const head = rows[0];
  if (head === undefined || rows.some((row) => isUnderWay(row, request))) return [];
  if (!isClaimable(head, request)) return [];
  if (head.status === 'delivering' && head.startedCount >= request.startedMax) return 'killer';
  if (head.startedCount > 0) return [head];
  const run = [head];
  for (const row of rows.slice(1, request.runSize)) {
    if (!isClaimable(row, request) || row.startedCount > 0) break;
    run.push(row);
  }
  return run;
}

function isClaimable(row: OutboxRow, { nowMs }: ClaimRequest): boolean {
  if (row.status === 'retryable') return row.nextRetryAtMs <= nowMs;
  return row.status === 'pending' || row.lockUntilMs <= nowMs;
}

function isUnderWay(row: OutboxRow, { nowMs }: ClaimRequest): boolean {
  return row.status === 'delivering' && row.lockUntilMs > nowMs;
}

function ended(row: OutboxRow, { nowMs }: ClaimRequest): OutboxRow {
  const lastError = `started ${row.startedCount} times without an end: it seems to stop its worker`;
  return { ...row, status: 'failed', lastError, finishedAtMs: nowMs, lockUntilMs: 0 };
}

/** Up to the first row whose event is not there: that one fails, and what lies behind it waits. */
function runOf(
  database: MemoryDatabase,
  request: ClaimRequest,
  plan: Plan,
  changes: RowChange[],
): ClaimedRun[] {
  const { claimToken } = plan;
  const claimed: ClaimedRow[] = [];
  for (const row of plan.rows.slice(0, plan.taken)) {
    const envelope = database.events.get(row.eventId)?.envelope;
    if (envelope === undefined) {
      const lastError = 'its event is missing from room_events';
      const failed = { ...row, status: 'failed' as const, lastError, finishedAtMs: request.nowMs };
      changes.push(put(database.outbox, row.rowId, failed));
      break;
    }
    const lockUntilMs = request.nowMs + request.lockMs;
    const { workerId } = request;
    const taken = { ...row, status: 'delivering' as const, workerId, claimToken, lockUntilMs };
    changes.push(put(database.outbox, row.rowId, taken));
    const { rowId, eventId, eventType, roomVersion, eventIndex, retryCount, usefulUntilMs } = row;
    const facts = { rowId, eventId, eventType, roomVersion, eventIndex, retryCount, usefulUntilMs };
    claimed.push({ ...facts, envelope, isSuspect: row.startedCount > 0 });
  }
  const head = plan.rows[0];
  if (head === undefined || claimed.length === 0) return [];
  const { appCode, roomId, destination } = head;
  return [{ claimToken, appCode, roomId, destination, rows: claimed }];
}

/** Rows that may be claimed for the row's destination. */
function roomFor({ destination }: OutboxRow, budget: Budget): number {
  return Math.min(budget.left, budget.perDestination.get(destination) ?? 0);
}

function spend(budget: Budget, { destination }: OutboxRow, rows: number): void {
  budget.left -= rows;
  budget.perDestination.set(destination, (budget.perDestination.get(destination) ?? 0) - rows);
}
