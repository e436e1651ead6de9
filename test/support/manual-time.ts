/** Clock and timers that move only when a test says so. */
import type { Clock } from '../../src/ports/clock.ts';
import type { Timers } from '../../src/ports/timers.ts';

interface Due {
  readonly atMs: number;
  readonly run: () => void;
}

/** Both clocks show the same time, from 0. */
export class ManualTime implements Clock, Timers {
  private nowMs = 0;
  private readonly due = new Set<Due>();

  wallMs(): number {
    return this.nowMs;
  }

  monoMs(): number {
    return this.nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const entry = { atMs: this.nowMs + delayMs, run };
    this.due.add(entry);
    return () => this.due.delete(entry);
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

  /** Moves on; everything due meanwhile runs at its own time, with its promises settled in between. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    for (;;) {
      await settled();
      const next = [...this.due].filter(({ atMs }) => atMs <= untilMs).sort(byTime)[0];
      if (next === undefined) break;
      this.due.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = untilMs;
    await settled();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function byTime(one: Due, other: Due): number {
  return one.atMs - other.atMs;
}
