/** Counters, gauges and durations. Names are listed in `docs/metrics.md`. */

/** Label names must be the same on every call of one metric. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Recording never throws. */
export interface Metrics {
  count(name: string, labels?: MetricLabels, by?: number): void;
  gauge(name: string, value: number, labels?: MetricLabels): void;
  /** Observes a duration in milliseconds. */
  observeMs(name: string, durationMs: number, labels?: MetricLabels): void;
}
