/**
 * Memory twin of clock and timers, as one thing: the time stands still until somebody moves it, and
 * a timer runs when the time passes it. A simulation that owns this owns every pause of the program,
 * and with `pickTied` the order of what happens at one instant.
 */
import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CancelTimer, Timers } from '../../ports/timers.ts';
import { TimerHeap } from './timer-heap.ts';

/** How a virtual time begins and how it breaks ties. */
export interface VirtualTimeOptions {
  /** Wall time at the start. Default 0. The monotonic clock begins at 0 all the same. */
  readonly startWallMs?: number;
  /**
   * Which of `count` timers due at one instant runs next, as an index into the order in which they
   * were set. Default: the first. A simulation draws it from its seed.
   */
  readonly pickTied?: (count: number) => number;
}

interface Armed {
  readonly dueMs: number;
  /** Ascending by the order in which timers were set. */
  readonly nth: number;
  /** Null: cancelled, or it has run. */
  run: (() => void) | null;
}

/** Cancelled timers that may wait for their time beside as many living ones. */
const cancelledMax = 256;

/** See the file header. */
export class VirtualTime implements Clock, Timers {
  private readonly pickTied: (count: number) => number;
  private nowMs = 0;
  private wallOffsetMs: number;
  private readonly armed = new TimerHeap<Armed>();
  private setCount = 0;
  private pendingCount = 0;

  constructor(options: VirtualTimeOptions = {}) {
    this.wallOffsetMs = options.startWallMs ?? 0;
    this.pickTied = options.pickTied ?? (() => 0);
  }

  wallMs(): number {
    return Math.floor(this.wallOffsetMs + this.nowMs);
  }

  monoMs(): number {
    return this.nowMs;
  }

  after(delayMs: number, run: () => void): CancelTimer {
    this.setCount += 1;
    const dueMs = this.nowMs + Math.max(0, delayMs);
    const timer: Armed = { dueMs, nth: this.setCount, run };
    this.armed.add(timer);
    this.pendingCount += 1;
    return () => {
      if (timer.run === null) return;
      timer.run = null;
      this.pendingCount -= 1;
      // Far timers that are cancelled again and again, as limits of calls are, must not gather.
      if (this.armed.size > 2 * this.pendingCount + cancelledMax) this.armed.keep(isArmed);
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.after(delayMs, end);
      signal?.addEventListener('abort', end);
    });
  }

  /** Timers that wait. What is left after a stop was forgotten by somebody. */
  get pending(): number {
    return this.pendingCount;
  }

  /** When the next timer is due, on the monotonic clock; null when none waits. */
  get nextDueMs(): number | null {
    return this.first()?.dueMs ?? null;
  }

  /** Sets the wall clock forward, or back when negative. Timers and durations do not notice. */
  jumpWall(byMs: number): void {
    this.wallOffsetMs += byMs;
  }

  /**
   * Runs the next timer that is due by `untilMs` (monotonic), at its own time, and answers true; or
   * moves on to `untilMs` and answers false. What the timer set in motion has not happened yet.
   */
  step(untilMs: number): boolean {
    assert(untilMs >= this.nowMs, 'virtual time never runs backwards', { untilMs });
    const first = this.first();
    if (first === null || first.dueMs > untilMs) {
      this.nowMs = untilMs;
      return false;
    }
    this.armed.takeFirst();
    const timer = this.first()?.dueMs === first.dueMs ? this.pick(first) : first;
    const { run } = timer;
    timer.run = null;
    this.pendingCount -= 1;
    this.nowMs = timer.dueMs;
    run?.();
    return true;
  }

  /** One of those that are due with `first`, which is out of the heap already; the others stay. */
  private pick(first: Armed): Armed {
    const tied = [first];
    for (let next = this.first(); next?.dueMs === first.dueMs; next = this.first()) {
      this.armed.takeFirst();
      tied.push(next);
    }
    const timer = tied[this.pickTied(tied.length)];
    for (const other of tied) if (other !== timer) this.armed.add(other);
    assert(timer !== undefined, 'a tie is broken by an index into it', { count: tied.length });
    return timer;
  }

  /** The next timer that was not cancelled; those in front of it are forgotten. */
  private first(): Armed | null {
    for (;;) {
      const first = this.armed.first;
      if (first === null || first.run !== null) return first;
      this.armed.takeFirst();
    }
  }

  /** Moves on by so much; what falls due runs at its time, with its promises settled in between. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    await settled();
    while (this.step(untilMs)) await settled();
    await settled();
  }
}

function isArmed(timer: Armed): boolean {
  return timer.run !== null;
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  // A turn of the event loop begins only when no promise has anything left to do.
  return new Promise((resolve) => setImmediate(resolve));
}
