/** The relay's pause between rounds: ends early for a hint, or for the end of the relay. */
import type { Timers } from '../ports/timers.ts';

/** See the file header. One wait at a time. */
export class RoundPause {
  private readonly timers: Timers;
  private hinted = false;
  private ended = false;
  private current: { readonly end: () => void; readonly mode: 'hintable' | 'deaf' } | null = null;

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /** There may be work. A hint during a round counts for the pause after it, once. */
  hint(): void {
    this.hinted = true;
    if (this.current?.mode === 'hintable') this.current.end();
  }

  /** True from `end` on: whoever paces its rounds by this begins none any more. */
  get isOver(): boolean {
    return this.ended;
  }

  /** Ends this pause and every later one at once. */
  end(): void {
    this.ended = true;
    this.current?.end();
  }

  /** Waits; `deaf` pauses keep a hint for the round that follows them anyway. */
  async wait(delayMs: number, mode: 'hintable' | 'deaf'): Promise<void> {
    if (this.ended) return;
    if (mode === 'hintable' && this.hinted) {
      this.hinted = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.timers.after(delayMs, end);
      this.current = { end, mode };
    });
    this.current = null;
    this.hinted = false;
  }
}
