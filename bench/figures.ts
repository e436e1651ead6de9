/** What a measurement gives, and the few sums that turn durations into figures. */

/** One measured load. */
export interface Figures {
  /** Callers that each wait for one answer before they ask again; for bare rows: connections. */
  readonly callers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Calls that ended otherwise than expected; a run with any is not a measurement. */
  readonly failures: number;
}

/** Figures of `durationsMs` that were gathered within `elapsedMs`. */
export function figuresOf(
  callers: number,
  durationsMs: readonly number[],
  elapsedMs: number,
  failures: number,
): Figures {
  const sorted = [...durationsMs].sort((left, right) => left - right);
  return {
    callers,
    perSecond: Math.round((durationsMs.length / elapsedMs) * 1_000),
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    failures,
  };
}

/** Nearest rank; 0 for nothing. One digit behind the point. */
export function percentile(sorted: readonly number[], share: number): number {
  const at = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return Math.round((sorted[Math.max(at, 0)] ?? 0) * 10) / 10;
}
