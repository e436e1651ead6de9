/**
 * Rounds over what waits: the first begins at once, the next when the one before is over and an interval
 * has passed, and only while something waits.
 */
import type { CancelTimer, Timers } from '../ports/timers.ts';

/** See the file header. */
export class PacedRounds {
  private readonly timers: Timers;
  private readonly intervalMs: number;
  private readonly waits: () => boolean;
  private readonly round: () => Promise<void>;
  private cancelPause: CancelTimer | null = null;
  private running: Promise<void> | null = null;
  private stopped = false;

  /** `round` never rejects. */
  constructor(
    timers: Timers,
    intervalMs: number,
    of: { readonly waits: () => boolean; readonly round: () => Promise<void> },
  ) {
    this.timers = timers;
    this.intervalMs = intervalMs;
    this.waits = of.waits;
    this.round = of.round;
  }

  /** Something may wait. */
  wake(): void {
    if (this.running === null && this.cancelPause === null) this.begin();
  }

  /** Begins no further round; resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelPause?.();
    await this.running;
  }

  private begin(): void {
    if (this.stopped || !this.waits()) return;
    this.running = this.round().finally(() => {
      this.running = null;
      if (this.stopped) return;
      this.cancelPause = this.timers.after(this.intervalMs, () => {
        this.cancelPause = null;
        this.begin();
      });
    });
  }
}
