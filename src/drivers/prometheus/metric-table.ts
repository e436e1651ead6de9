/**
 * Every metric there is: its kind, its labels and what it counts. `docs/metrics.md` shows the same
 * table and a test keeps the two, and every use in the source, alike. Names on the port are written
 * without the prefix `roomcell_`; the endpoint shows them with it.
 */

/** One metric. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'duration' | 'size';
  readonly labels: readonly string[];
  readonly about: string;
}

/** See the file header. Durations are in milliseconds. */
export const metricTable: Readonly<Record<string, MetricRow>> = {};
