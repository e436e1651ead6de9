/**
 * Calls of a client in this process to a stand-in in the same one. What a network adds, a caller that
 * gives up while the other side goes on, follows from the timers.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Timers } from '../../ports/timers.ts';

/** Calls in flight: each ends in time, and at a stop at once. */
export class OpenCalls {
  private readonly timers: Timers;
  private readonly leaving = new Set<(cause: string) => void>();
  private isStopped = false;

  constructor(timers: Timers) {
    this.timers = timers;
  }

  make<Answer>(
    perform: (signal: AbortSignal) => Promise<Answer>,
    timeoutMs: number,
  ): Promise<Answer | UnknownOutcome> {
    if (this.isStopped) return Promise.resolve(unknownOutcome('the client is stopped'));
    return new Promise((resolve) => {
      const caller = new AbortController();
      const end = (outcome: Answer | UnknownOutcome): void => {
        cancel();
        this.leaving.delete(leave);
        resolve(outcome);
      };
      // What the wallet does after that is its own business: the caller no longer hears of it.
      const leave = (cause: string): void => {
        end(unknownOutcome(cause));
        caller.abort();
      };
      const cancel = this.timers.after(timeoutMs, () => leave('DEADLINE_EXCEEDED'));
      this.leaving.add(leave);
      perform(caller.signal).then(end, (error: unknown) => end(unknownOutcome(error)));
    });
  }

  stop(): void {
    this.isStopped = true;
    for (const leave of this.leaving) leave('the client was stopped');
  }
}
