/**
 * The Metrics port on prom-client. Only metrics of the table exist; a use that does not fit the table
 * (an unknown name, another kind, a foreign label) is counted as a fault and never thrown, because a
 * metric must not end what it measures.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { MetricLabels, Metrics } from '../../ports/metrics.ts';
import type { MetricRow } from './metric-table.ts';

/** The port and the page that Prometheus reads. */
export interface PrometheusMetrics {
  readonly metrics: Metrics;
  readonly contentType: string;
  /** The page in Prometheus' text format. */
  text(): Promise<string>;
}

const prefix = 'roomcell_';
const durationBucketsMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000];
const sizeBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
/** Names are literals in the source, so this is far away; it bounds the series all the same. */
const faultNamesMax = 100;

type Series = Counter | Gauge | Histogram;

/** Makes the metrics of `table`, all of them visible from the start where they have no labels. */
export function createPrometheusMetrics(
  table: Readonly<Record<string, MetricRow>>,
  options: { readonly processMetrics: boolean },
): PrometheusMetrics {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const faults = new Counter({
    name: `${prefix}metric_faults_total`,
    help: 'Uses of a metric that do not fit docs/metrics.md.',
    labelNames: ['name'],
    registers: [registry],
  });
  const faultNames = new Set<string>();
  const series = new Map(
    Object.entries(table).map(([name, row]) => [name, seriesOf(name, row, registry)]),
  );

  function onFault(name: string): void {
    if (faultNames.size >= faultNamesMax && !faultNames.has(name)) return;
    faultNames.add(name);
    faults.inc({ name });
  }

  function record<Kind extends Series>(
    name: string,
    kind: new (...configuration: never[]) => Kind,
    apply: (found: Kind) => void,
  ): void {
    const found = series.get(name.startsWith(prefix) ? name.slice(prefix.length) : name);
    if (!(found instanceof kind)) return onFault(name);
    try {
      apply(found);
    } catch {
      // A label that the table does not name, or a value that is no number.
      onFault(name);
    }
  }

  const metrics: Metrics = {
    count: (name, labels = {}, by = 1) =>
      record<Counter>(name, Counter, (counter) => counter.inc(mutable(labels), by)),
    gauge: (name, value, labels = {}) =>
      record<Gauge>(name, Gauge, (gauge) => {
        // The library refuses it for the other kinds only.
        if (!Number.isFinite(value)) return onFault(name);
        gauge.set(mutable(labels), value);
      }),
    observeMs: (name, durationMs, labels = {}) =>
      record<Histogram>(name, Histogram, (histogram) =>
        histogram.observe(mutable(labels), durationMs),
      ),
  };
  return {
    metrics,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function seriesOf(name: string, row: MetricRow, registry: Registry): Series {
  const configuration = {
    name: `${prefix}${name}`,
    help: row.about,
    labelNames: [...row.labels],
    registers: [registry],
  };
  switch (row.kind) {
    case 'counter':
      return new Counter(configuration);
    case 'gauge':
      return new Gauge(configuration);
    case 'duration':
      return new Histogram({ ...configuration, buckets: durationBucketsMs });
    case 'size':
      return new Histogram({ ...configuration, buckets: sizeBuckets });
  }
}

function mutable(labels: MetricLabels): Record<string, string> {
  return { ...labels };
}
