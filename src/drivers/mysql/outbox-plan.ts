/**
 * Which rows of a stream make the next run. Pure: rows in, plan out, so that every case is a unit
 * test. The rows given are all unfinished rows of the stream as one statement saw them, except that
 * of the `pending` ones only the oldest `pendingLimit` may be there. Where the destination blocks, the
 * oldest `failed` row is there too: a row like one that never becomes due.
 */
import type { UnfinishedRow } from './outbox-rows.ts';

/** What planning is bound by. */
export interface PlanLimits {
  readonly nowMs: number;
  /** Most rows of one run; also how many `pending` rows were read. */
  readonly runSize: number;
  readonly startedMax: number;
}

/** The next run of a stream, or why there is none. */
export type RunPlan =
  | { readonly kind: 'run'; readonly rowIds: readonly bigint[] }
  /** The oldest row waits for its time or for an operator, or a run of the stream is under way. */
  | { readonly kind: 'blocked' }
  /** The oldest row ended its worker too often: it must become `failed`. */
  | { readonly kind: 'killer'; readonly row: UnfinishedRow }
  | { readonly kind: 'empty' };

/** True for `pending`, due `retryable` and expired `delivering` rows (OUT-9, OUT-21). */
export function isClaimable(row: UnfinishedRow, nowMs: number): boolean {
  if (row.status === 'pending') return true;
  if (row.status === 'retryable') return row.nextRetryAtMs <= nowMs;
  if (row.status === 'failed') return false;
  return row.lockUntilMs <= nowMs;
}

/** True for a row of a run that somebody may be sending right now. */
export function isUnderWay(row: UnfinishedRow, nowMs: number): boolean {
  return row.status === 'delivering' && row.lockUntilMs > nowMs;
}

/**
 * Plans the run. It begins at the oldest unfinished row and goes on as long as the next row is
 * claimable too. A row that was started before and never finished may be what ended its worker: it
 * goes alone, so that its neighbours are not counted as killers with it.
 */
export function planRun(rows: readonly UnfinishedRow[], limits: PlanLimits): RunPlan {
  const known = completePart(rows, limits.runSize);
  const head = known[0];
  if (head === undefined) return { kind: 'empty' };
  if (rows.some((row) => isUnderWay(row, limits.nowMs))) return { kind: 'blocked' };
  if (!isClaimable(head, limits.nowMs)) return { kind: 'blocked' };
  if (head.status === 'delivering' && head.startedCount >= limits.startedMax) {
    return { kind: 'killer', row: head };
  }
  const rowIds = [head.id];
  if (head.startedCount > 0) return { kind: 'run', rowIds };
  for (const row of known.slice(1)) {
    if (rowIds.length >= limits.runSize) break;
    if (!isClaimable(row, limits.nowMs) || row.startedCount > 0) break;
    rowIds.push(row.id);
  }
  return { kind: 'run', rowIds };
}

/**
 * The rows in order of id, up to the point behind which unread `pending` rows may lie: when as many
 * were read as were asked for, nothing is known behind the last of them.
 */
function completePart(rows: readonly UnfinishedRow[], pendingLimit: number): UnfinishedRow[] {
  const ordered = [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));
  const pending = ordered.filter((row) => row.status === 'pending');
  const last = pending.at(-1);
  if (last === undefined || pending.length < pendingLimit) return ordered;
  return ordered.filter((row) => row.id <= last.id);
}
