/**
 * What stands between a simulated process and the world: nothing enters a process that is frozen or
 * dead. Frozen: whatever arrives is held until the thaw and then let go in an order drawn from the
 * seed, timers among themselves in the order of their times. Dead: it is dropped, for ever.
 */
import type { CancelTimer, Timers } from '../../../src/ports/timers.ts';
import { sleeperOn } from '../kernel/kernel.ts';
import type { SimRandom } from '../kernel/sim-random.ts';

/** How a process is. */
export type GateState = 'open' | 'frozen' | 'dead';

/** Everything held goes out within this after a thaw. */
const thawSpreadMs = 2;

/** See the file header. */
export class PodGate {
  private current: GateState = 'open';
  private readonly worldTimers: Timers;
  private readonly random: SimRandom;
  private held: { readonly isTimer: boolean; readonly run: () => void }[] = [];
  /** Events of the world that are on their way into the process. */
  private readonly pending = new Set<CancelTimer>();

  constructor(worldTimers: Timers, random: SimRandom) {
    this.worldTimers = worldTimers;
    this.random = random;
  }

  get state(): GateState {
    return this.current;
  }

  /** Nothing enters any more. */
  kill(): void {
    this.current = 'dead';
    this.held = [];
    for (const cancel of this.pending) cancel();
    this.pending.clear();
  }

  freeze(): void {
    if (this.current === 'open') this.current = 'frozen';
  }

  thaw(): void {
    if (this.current !== 'frozen') return;
    this.current = 'open';
    let timersAtMs = 0;
    for (const { isTimer, run } of this.held.splice(0)) {
      const delayMs = this.random.fraction() * thawSpreadMs;
      if (isTimer) timersAtMs = Math.max(timersAtMs, delayMs);
      this.later(isTimer ? timersAtMs : delayMs, run, isTimer);
    }
  }

  /** Runs now, at the thaw, or never. */
  pass(run: () => void, isTimer = false): void {
    if (this.current === 'open') run();
    else if (this.current === 'frozen') this.held.push({ isTimer, run });
  }

  /** The answer as the process gets it: when it is awake, if it lives. */
  through<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      answer.then(
        (value) => this.pass(() => resolve(value)),
        (error: unknown) =>
          this.pass(() => reject(error instanceof Error ? error : new Error(String(error)))),
      );
    });
  }

  /** Resolves when the process is awake; never when it is dead. */
  awake(): Promise<void> {
    return new Promise((resolve) => this.pass(resolve));
  }

  /**
   * The timers of the process. One of its milliseconds is `1 / rate` of the world's, and never less
   * than it asked for.
   */
  timers(rate: number): Timers {
    const after = (delayMs: number, run: () => void): CancelTimer => {
      if (this.current === 'dead') return () => undefined;
      return this.later(Math.max(0, delayMs) / rate + roundingMs(rate), run, true);
    };
    return { after, sleep: sleeperOn(after) };
  }

  private later(delayMs: number, run: () => void, isTimer: boolean): CancelTimer {
    let isCancelled = false;
    const cancelWorld = this.worldTimers.after(delayMs, () => {
      this.pending.delete(cancel);
      if (this.current === 'open') return run();
      this.pass(() => {
        if (!isCancelled) run();
      }, isTimer);
    });
    const cancel = (): void => {
      isCancelled = true;
      this.pending.delete(cancel);
      cancelWorld();
    };
    this.pending.add(cancel);
    return cancel;
  }
}

/** Divisions of times round; a timer that is early by a rounding would be early all the same. */
function roundingMs(rate: number): number {
  return rate === 1 ? 0 : 1e-6;
}
