/** The ports that drivers take, with the log and the counts kept for a test to read. */
import { createSystemClock } from '../../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../../src/drivers/system/system-timers.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { MetricLabels, Metrics } from '../../src/ports/metrics.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { MemoryLog } from './memory-log.ts';

/** Metrics that keep the sums of their counters. */
export class CountedMetrics implements Metrics {
  private readonly sums = new Map<string, number>();

  count(name: string, labels?: MetricLabels, by = 1): void {
    for (const key of [name, keyOf(name, labels)]) {
      this.sums.set(key, (this.sums.get(key) ?? 0) + by);
    }
  }

  gauge(): void {
    // Nothing reads gauges here.
  }

  observeMs(): void {
    // Nothing reads durations here.
  }

  /** The sum over all labels, or of exactly these. */
  sumOf(name: string, labels?: MetricLabels): number {
    return this.sums.get(labels === undefined ? name : keyOf(name, labels)) ?? 0;
  }
}

/** See the file header. */
export interface DriverDeps {
  readonly log: MemoryLog;
  readonly metrics: CountedMetrics;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Fresh ones on the machine's clocks. */
export function driverDeps(): DriverDeps {
  return {
    log: new MemoryLog(),
    metrics: new CountedMetrics(),
    clock: createSystemClock(),
    timers: createSystemTimers(),
  };
}

function keyOf(name: string, labels: MetricLabels | undefined): string {
  const parts = Object.entries(labels ?? {}).map(([label, value]) => `${label}=${value}`);
  return `${name}{${parts.sort().join(',')}}`;
}
