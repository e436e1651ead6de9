/** What every Metrics must do. */
import { describe, expect, it } from 'vitest';
import type { MetricLabels, Metrics } from '../../../src/ports/metrics.ts';

/**
 * Metrics and what a reader sees of them. Names in use: counter `calls_total` (label `outcome`),
 * gauge `waiting`, gauge `depth` (label `queue`), duration `took_ms` (label `step`).
 */
export interface MetricsFixture {
  readonly metrics: Metrics;
  /** Sum of a counter, value of a gauge, or number and sum of durations; null when never used. */
  read(name: string, labels?: MetricLabels): Promise<number | readonly [number, number] | null>;
  /** Uses that fit no metric. */
  faults(): Promise<number>;
}

/** Declares the suite. */
export function metricsContract(name: string, makeFixture: () => MetricsFixture): void {
  describe(`Metrics contract: ${name}`, () => {
    it('sums what is counted, by one or by more, each label value for itself', async () => {
      const { metrics, read } = makeFixture();
      metrics.count('calls_total', { outcome: 'ok' });
      metrics.count('calls_total', { outcome: 'ok' }, 4);
      metrics.count('calls_total', { outcome: 'bad' }, 0);
      expect(await read('calls_total', { outcome: 'ok' })).toBe(5);
      expect(await read('calls_total', { outcome: 'bad' })).toBe(0);
    });

    it('shows the last value of a gauge, which may fall', async () => {
      const { metrics, read } = makeFixture();
      metrics.gauge('waiting', 7);
      metrics.gauge('waiting', -2.5);
      metrics.gauge('depth', 1, { queue: 'a' });
      metrics.gauge('depth', 2, { queue: 'b' });
      expect(await read('waiting')).toBe(-2.5);
      expect(await read('depth', { queue: 'a' })).toBe(1);
      expect(await read('depth', { queue: 'b' })).toBe(2);
    });

    it('counts and sums durations', async () => {
      const { metrics, read } = makeFixture();
      for (const durationMs of [0, 1.5, 60_000]) {
        metrics.observeMs('took_ms', durationMs, { step: 'commit' });
      }
      metrics.observeMs('took_ms', 1, { step: 'load' });
      expect(await read('took_ms', { step: 'commit' })).toEqual([3, 60_001.5]);
    });

    it('takes a name with and without the prefix of the service for one', async () => {
      const { metrics, read } = makeFixture();
      metrics.gauge('roomcell_waiting', 3);
      expect(await read('waiting')).toBe(3);
    });

    it('leaves the labels of its caller alone', async () => {
      const { metrics, read } = makeFixture();
      const labels = Object.freeze({ outcome: 'ok' });
      metrics.count('calls_total', labels);
      metrics.count('calls_total', labels);
      expect(await read('calls_total', labels)).toBe(2);
    });

    it('never throws: a use that does not fit counts as a fault and changes nothing', async () => {
      const { metrics, read, faults } = makeFixture();
      metrics.count('calls_total', { outcome: 'ok' });
      metrics.gauge('waiting', 1);
      expect(await faults()).toBe(0);
      metrics.gauge('calls_total', 9, { outcome: 'ok' });
      metrics.count('waiting');
      metrics.observeMs('waiting', 9);
      metrics.count('calls_total', { outcome: 'ok' }, -1);
      metrics.count('calls_total', { outcome: 'ok', room_id: 'r1' });
      metrics.gauge('waiting', Number.NaN);
      expect(await faults()).toBe(6);
      expect(await read('calls_total', { outcome: 'ok' })).toBe(1);
      expect(await read('waiting')).toBe(1);
    });
  });
}
