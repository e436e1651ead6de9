/**
 * Memory twin of clock and timers, as one thing: the time stands still until somebody moves it, and
 * a timer runs when the time passes it. A simulation that owns this owns every pause of the program,
 * and with `pickTied` the order of what happens at one instant.
 */
import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CancelTimer, Timers } from '../../ports/timers.ts';

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
  readonly run: () => void;
}

/** See the file header. */
export class VirtualTime implements Clock, Timers {
  private readonly pickTied: (count: number) => number;
  private nowMs = 0;
  private wallOffsetMs: number;
  /** In the order in which they were set. */
  private readonly armed = new Set<Armed>();

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
    const timer = { dueMs: this.nowMs + Math.max(0, delayMs), run };
    this.armed.add(timer);
    return () => this.armed.delete(timer);
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
    return this.armed.size;
  }

  /** When the next timer is due, on the monotonic clock; null when none waits. */
  get nextDueMs(): number | null {
    let next: number | null = null;
    for (const { dueMs } of this.armed) next = next === null ? dueMs : Math.min(next, dueMs);
    return next;
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
    const dueMs = this.nextDueMs;
    if (dueMs === null || dueMs > untilMs) {
      this.nowMs = untilMs;
      return false;
    }
    const tied = [...this.armed].filter((timer) => timer.dueMs === dueMs);
    const timer = tied[tied.length === 1 ? 0 : this.pickTied(tied.length)];
    assert(timer !== undefined, 'a tie is broken by an index into it', { count: tied.length });
    this.armed.delete(timer);
    this.nowMs = dueMs;
    timer.run();
    return true;
  }

  /** Moves on by so much; what falls due runs at its time, with its promises settled in between. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    await settled();
    while (this.step(untilMs)) await settled();
    await settled();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  // A turn of the event loop begins only when no promise has anything left to do.
  return new Promise((resolve) => setImmediate(resolve));
}
