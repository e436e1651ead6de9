/**
 * Timers in the order of their times, and of their setting where times are equal: a binary heap, so
 * that a simulation with many timers pays for the next one and not for all.
 */

/** What the heap orders by. */
export interface HeapTimer {
  readonly dueMs: number;
  /** Never the same twice. */
  readonly nth: number;
}

/** See the file header. */
export class TimerHeap<Timer extends HeapTimer> {
  private timers: Timer[] = [];

  get size(): number {
    return this.timers.length;
  }

  /** The earliest; null when there is none. */
  get first(): Timer | null {
    return this.timers[0] ?? null;
  }

  add(timer: Timer): void {
    const { timers } = this;
    let at = timers.length;
    timers.push(timer);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const above = timers[parent] as Timer;
      if (isEarlier(above, timer)) break;
      timers[at] = above;
      at = parent;
    }
    timers[at] = timer;
  }

  /** Takes the earliest out. */
  takeFirst(): void {
    const { timers } = this;
    const last = timers.pop();
    if (last === undefined || timers.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= timers.length) break;
      const right = timers[child + 1];
      if (right !== undefined && isEarlier(right, timers[child] as Timer)) child += 1;
      const earliest = timers[child] as Timer;
      if (isEarlier(last, earliest)) break;
      timers[at] = earliest;
      at = child;
    }
    timers[at] = last;
  }

  /** Forgets every timer that does not fit. */
  keep(fits: (timer: Timer) => boolean): void {
    const kept = this.timers.filter(fits);
    this.timers = [];
    for (const timer of kept) this.add(timer);
  }
}

function isEarlier(one: HeapTimer, other: HeapTimer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.nth < other.nth);
}
