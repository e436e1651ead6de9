/** The production form of the Trace port: passing a point is a count, nothing else. */
import type { Metrics } from '../../ports/metrics.ts';
import type { Trace } from '../../ports/trace.ts';

/** Counts `roomcell_trace_points_total{point}`. */
export function createCountingTrace(metrics: Metrics): Trace {
  return { at: (point) => metrics.count('roomcell_trace_points_total', { point }) };
}
