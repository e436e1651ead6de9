/** Counters of a run over all its processes, by name and label values; durations count as one each. */
import type { MetricLabels, Metrics } from '../../../src/ports/metrics.ts';

/** Names may come with this prefix or without it. */
const prefix = 'roomcell_';

/** A counter and those that have one label more. Processes count far more often than anyone reads. */
interface Counter {
  count: number;
  readonly byValue: Map<string, Counter>;
}

/** See the file header. */
export class SimMetrics implements Metrics {
  private readonly byName = new Map<string, Counter>();

  count(name: string, labels?: MetricLabels, by = 1): void {
    let counter = inside(this.byName, name);
    for (const label in labels) counter = inside(counter.byValue, labels[label] ?? '');
    counter.count += by;
  }

  gauge(): void {
    // Only what happened is of interest here, not how things stand.
  }

  observeMs(name: string, _durationMs: number, labels?: MetricLabels): void {
    this.count(name, labels);
  }

  /** All counters by name and label values, joined by `|`. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const gather = (key: string, { count, byValue }: Counter): void => {
      if (count !== 0) counts.set(key, (counts.get(key) ?? 0) + count);
      for (const [value, counter] of byValue) gather(`${key}|${value}`, counter);
    };
    for (const [name, counter] of this.byName) {
      gather(name.startsWith(prefix) ? name.slice(prefix.length) : name, counter);
    }
    return counts;
  }

  /** Sum of all counters whose name and label values begin like this. */
  sumOf(beginning: string): number {
    let sum = 0;
    for (const [key, count] of this.counts) if (key.startsWith(beginning)) sum += count;
    return sum;
  }
}

function inside(counters: Map<string, Counter>, value: string): Counter {
  const known = counters.get(value);
  if (known !== undefined) return known;
  const counter: Counter = { count: 0, byValue: new Map() };
  counters.set(value, counter);
  return counter;
}
