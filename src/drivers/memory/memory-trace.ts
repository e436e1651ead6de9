/**
 * Memory twin of the trace: counts how often each point was passed, and lets a simulation do there
 * what hurts: throw as a crash does, or take the time further.
 */
import type { Trace, TracePoint } from '../../ports/trace.ts';

/** See the file header. */
export class MemoryTrace implements Trace {
  private readonly counts = new Map<TracePoint, number>();
  private readonly orders = new Map<TracePoint, (nth: number) => void>();

  at(point: TracePoint): void {
    const nth = this.passed(point) + 1;
    this.counts.set(point, nth);
    this.orders.get(point)?.(nth);
  }

  /** How often the point was passed. */
  passed(point: TracePoint): number {
    return this.counts.get(point) ?? 0;
  }

  /** Calls `run` on every pass from now on, with how many there were; null ends that. */
  order(point: TracePoint, run: ((nth: number) => void) | null): void {
    if (run === null) this.orders.delete(point);
    else this.orders.set(point, run);
  }
}
