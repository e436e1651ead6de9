/** Counters of a run over all its processes, by name and label values; durations count as one each. */
import type { MetricLabels, Metrics } from '../../../src/ports/metrics.ts';

/** Names may come with this prefix or without it. */
const prefix = 'roomcell_';

/** See the file header. */
export class SimMetrics implements Metrics {
  readonly counts = new Map<string, number>();

  count(name: string, labels?: MetricLabels, by = 1): void {
    let key = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    for (const label in labels) key += `|${labels[label]}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  gauge(): void {
    // Only what happened is of interest here, not how things stand.
  }

  observeMs(name: string, _durationMs: number, labels?: MetricLabels): void {
    this.count(name, labels);
  }

  /** Sum of all counters whose name and label values begin like this. */
  sumOf(beginning: string): number {
    let sum = 0;
    for (const [key, count] of this.counts) if (key.startsWith(beginning)) sum += count;
    return sum;
  }
}
