/**
 * Time for tests of the cell: sleeps end on the next turn of the event loop and move the clock by
 * what they slept, so retries run at once; `after` timers fire only when the test moves the clock.
 */
import type { Clock } from '../../src/ports/clock.ts';
import type { CancelTimer, Timers } from '../../src/ports/timers.ts';

/** See the file header. Wall and monotonic time move together. */
export class SteppedTime implements Clock, Timers {
  private nowMs: number;
  private readonly armed = new Set<{ readonly atMs: number; readonly run: () => void }>();

  constructor(startMs = 1_700_000_000_000) {
    this.nowMs = startMs;
  }

  /** Whole milliseconds, as a real wall clock gives them. */
  wallMs(): number {
    return Math.floor(this.nowMs);
  }

  monoMs(): number {
    return this.nowMs;
  }

  after(delayMs: number, run: () => void): CancelTimer {
    const timer = { atMs: this.nowMs + delayMs, run };
    this.armed.add(timer);
    return () => this.armed.delete(timer);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.nowMs += delayMs;
        resolve();
      });
    });
  }

  /** Moves the clock and fires what fell due, earliest first. */
  advance(byMs: number): void {
    const untilMs = this.nowMs + byMs;
    for (;;) {
      const due = [...this.armed]
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((left, right) => left.atMs - right.atMs)[0];
      if (due === undefined) break;
      this.armed.delete(due);
      this.nowMs = Math.max(this.nowMs, due.atMs);
      due.run();
    }
    this.nowMs = untilMs;
  }
}

/** Longest real time that a condition may take to come true. */
const patienceMs = 15_000;

/** Waits, turn by turn, until `done` answers something; fails naming what was waited for. */
export async function eventually<T>(
  what: string,
  done: () => T | null | undefined | false,
): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const value = done();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > untilMs) {
      throw new Error(`waited ${patienceMs} ms in vain for: ${what}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
