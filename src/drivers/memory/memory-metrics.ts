/**
 * Memory twin of the metrics: sums, last values and durations for a reader in the same process. The
 * first use of a name says what it is; a use that does not fit it counts as a fault and nothing else.
 */
import type { MetricLabels, Metrics } from '../../ports/metrics.ts';

/** Durations of one series. */
export interface MemoryDurations {
  readonly count: number;
  readonly sumMs: number;
}

interface Metric {
  readonly kind: 'counter' | 'gauge' | 'duration';
  /** Sorted names. */
  readonly labels: string;
  readonly series: Map<string, { value: number; count: number }>;
}

/** The endpoint shows each name with it, whether the source writes it or not. */
const prefix = 'roomcell_';
/** Labels are of few values; more series than this mean that one holds an id. */
const seriesMax = 10_000;

/** See the file header. */
export class MemoryMetrics implements Metrics {
  private readonly metrics = new Map<string, Metric>();
  private seriesCount = 0;
  private faultCount = 0;

  count(name: string, labels: MetricLabels = {}, by = 1): void {
    if (by < 0) return this.fault();
    this.record(name, 'counter', labels, by, (before) => before + by);
  }

  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    this.record(name, 'gauge', labels, value, () => value);
  }

  observeMs(name: string, durationMs: number, labels: MetricLabels = {}): void {
    this.record(name, 'duration', labels, durationMs, (before) => before + durationMs);
  }

  /** What a counter has counted: with exactly these labels, or over all of them. */
  sumOf(name: string, labels?: MetricLabels): number {
    return this.of('counter', name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** The last value of a gauge; null when it was never set. */
  gaugeOf(name: string, labels: MetricLabels = {}): number | null {
    return this.of('gauge', name, labels)[0]?.value ?? null;
  }

  /** What was observed with exactly these labels, or over all of them. */
  durationsOf(name: string, labels?: MetricLabels): MemoryDurations {
    return this.of('duration', name, labels).reduce(
      (all, { value, count }) => ({ count: all.count + count, sumMs: all.sumMs + value }),
      { count: 0, sumMs: 0 },
    );
  }

  /** Uses that fitted nothing. */
  get faults(): number {
    return this.faultCount;
  }

  private record(
    name: string,
    kind: Metric['kind'],
    labels: MetricLabels,
    given: number,
    next: (before: number) => number,
  ): void {
    const metric = this.metricOf(name, kind, labels);
    if (metric === null || !Number.isFinite(given)) return this.fault();
    const key = keyOf(labels);
    let series = metric.series.get(key);
    if (series === undefined) {
      if (this.seriesCount >= seriesMax) return this.fault();
      this.seriesCount += 1;
      series = { value: 0, count: 0 };
      metric.series.set(key, series);
    }
    series.value = next(series.value);
    series.count += 1;
  }

  private metricOf(name: string, kind: Metric['kind'], labels: MetricLabels): Metric | null {
    const labelNames = Object.keys(labels).sort().join();
    const known = this.metrics.get(bare(name));
    if (known !== undefined) {
      return known.kind === kind && known.labels === labelNames ? known : null;
    }
    if (this.metrics.size >= seriesMax) return null;
    const metric: Metric = { kind, labels: labelNames, series: new Map() };
    this.metrics.set(bare(name), metric);
    return metric;
  }

  private of(kind: Metric['kind'], name: string, labels: MetricLabels | undefined) {
    const metric = this.metrics.get(bare(name));
    if (metric?.kind !== kind) return [];
    if (labels === undefined) return [...metric.series.values()];
    const series = metric.series.get(keyOf(labels));
    return series === undefined ? [] : [series];
  }

  private fault(): void {
    this.faultCount += 1;
  }
}

function bare(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function keyOf(labels: MetricLabels): string {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}
