/** Metrics record what the table names and survive everything else. */
import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../../../../src/drivers/prometheus/metric-table.ts';
import { createPrometheusMetrics } from '../../../../src/drivers/prometheus/prometheus-metrics.ts';
import type { MetricLabels } from '../../../../src/ports/metrics.ts';
import { metricsContract } from '../../../contract/suites/metrics-contract.ts';

const table: Record<string, MetricRow> = {
  commands_total: { kind: 'counter', labels: ['outcome'], about: 'Commands.' },
  queue: { kind: 'gauge', labels: [], about: 'Waiting.' },
  took_ms: { kind: 'duration', labels: [], about: 'Time.' },
};

function make() {
  const made = createPrometheusMetrics(table, { processMetrics: false });
  const lines = async (start: string): Promise<string[]> =>
    (await made.text()).split('\n').filter((line) => line.startsWith(start));
  return { metrics: made.metrics, lines };
}

describe('metrics', () => {
  it('record counters, gauges and durations under the service’s prefix', async () => {
    const { metrics, lines } = make();
    metrics.count('commands_total', { outcome: 'applied' });
    metrics.count('commands_total', { outcome: 'applied' }, 4);
    metrics.gauge('queue', 7);
    metrics.observeMs('took_ms', 3);
    expect(await lines('roomcell_commands_total')).toEqual([
      'roomcell_commands_total{outcome="applied"} 5',
    ]);
    expect(await lines('roomcell_queue')).toEqual(['roomcell_queue 7']);
    expect(await lines('roomcell_took_ms_bucket{le="5"}')).toEqual([
      'roomcell_took_ms_bucket{le="5"} 1',
    ]);
  });

  it('are the same with and without the prefix', async () => {
    const { metrics, lines } = make();
    metrics.gauge('roomcell_queue', 1);
    expect(await lines('roomcell_queue')).toEqual(['roomcell_queue 1']);
  });

  it.each([
    ['an unknown name', 'no_such', (m: ReturnType<typeof make>['metrics']) => m.count('no_such')],
    ['another kind', 'queue', (m: ReturnType<typeof make>['metrics']) => m.count('queue')],
    [
      'a foreign label',
      'queue',
      (m: ReturnType<typeof make>['metrics']) => m.gauge('queue', 1, { who: 'me' }),
    ],
    [
      'a negative count',
      'commands_total',
      (m: ReturnType<typeof make>['metrics']) => m.count('commands_total', { outcome: 'x' }, -1),
    ],
  ])('count %s as a fault and do not throw', async (_, name, use) => {
    const { metrics, lines } = make();
    use(metrics);
    expect(await lines('roomcell_metric_faults_total')).toEqual([
      `roomcell_metric_faults_total{name="${name}"} 1`,
    ]);
  });
});

metricsContract('Prometheus', () => {
  const rows: Record<string, MetricRow> = {
    calls_total: { kind: 'counter', labels: ['outcome'], about: 'Calls.' },
    waiting: { kind: 'gauge', labels: [], about: 'Waiting.' },
    depth: { kind: 'gauge', labels: ['queue'], about: 'Depth.' },
    took_ms: { kind: 'duration', labels: ['step'], about: 'Time.' },
  };
  const { metrics, text } = createPrometheusMetrics(rows, { processMetrics: false });
  /** Values of the lines with this name; with exactly these labels, if any are named. */
  const values = async (name: string, labels: MetricLabels = {}): Promise<number[]> => {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const series = pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
    return (await text())
      .split('\n')
      .filter((line) => line.startsWith(`roomcell_${series} `))
      .map((line) => Number(line.split(' ').at(-1)));
  };
  return {
    metrics,
    async read(name, labels) {
      if (!name.endsWith('_ms')) return (await values(name, labels))[0] ?? null;
      const [count = 0] = await values(`${name}_count`, labels);
      const [sum = 0] = await values(`${name}_sum`, labels);
      return [count, sum];
    },
    async faults() {
      const lines = (await text()).split('\n');
      const faults = lines.filter((line) => line.startsWith('roomcell_metric_faults_total{'));
      return faults.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
});
