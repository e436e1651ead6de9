/**
 * Waiting for something outside that is not there yet. A process that starts before its database
 * waits and says so once; when the database comes it goes on, and nobody has to restart anything.
 */
import { Failure } from '../kernel/failure.ts';
import type { Log } from '../ports/log.ts';
import type { Timers } from '../ports/timers.ts';

/** What a wait needs to know about its surroundings. */
export interface Waiting {
  readonly log: Log;
  readonly timers: Timers;
  /** Ends the wait: the process is told to stop. */
  readonly signal: AbortSignal;
  /** Told why it waits, for readiness; null when the wait is over. */
  readonly onWaiting: (reason: string | null) => void;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/**
 * Tries `attempt` until it succeeds. Only Retry failures are waited out; anything else is thrown on.
 * Rejects with the signal's reason when that aborts.
 */
export async function waitForDependency<T>(
  what: string,
  attempt: () => Promise<T>,
  { log, timers, signal, onWaiting }: Waiting,
): Promise<T> {
  let pauseMs = firstPauseMs;
  let lastCause = '';
  for (;;) {
    signal.throwIfAborted();
    try {
      const answer = await attempt();
      if (lastCause !== '') log.info({ dependency: what }, `${what} answers now`);
      onWaiting(null);
      return answer;
    } catch (error) {
      if (!isTransient(error)) throw error;
      const cause = error.message;
      // Once per cause, not once per try: an hour of waiting is one line and one readiness reason.
      if (cause !== lastCause) log.warn({ dependency: what, error }, `waiting for ${what}`);
      lastCause = cause;
      onWaiting(`waiting for ${what}: ${cause}`);
    }
    await timers.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** Whether waiting can help. */
export function isTransient(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'retry';
}
