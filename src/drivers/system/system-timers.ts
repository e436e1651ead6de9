/** Node's timers behind the Timers port. They run on the monotonic clock. */
import type { Timers } from '../../ports/timers.ts';

/** setTimeout takes a signed 32-bit number and fires at once beyond it; about 24.8 days. */
const delayMsMax = 2_147_483_647;

/**
 * Longer delays than `delayMsMax` are cut to it. A pending timer keeps the process alive: whoever
 * schedules one must cancel it at stop, so that a forgotten timer shows as a process that hangs.
 */
export function createSystemTimers(): Timers {
  return {
    after(delayMs, run) {
      const handle = setTimeout(run, neverEarly(delayMs));
      return () => clearTimeout(handle);
    },
    sleep(delayMs, signal) {
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(handle);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const handle = setTimeout(end, neverEarly(delayMs));
        signal?.addEventListener('abort', end);
      });
    },
  };
}

/**
 * Node cuts fractions off a delay and off the time at which it begins, so a timer would fire up to a
 * millisecond early, and a wait for a deadline would find it not reached yet.
 */
function neverEarly(delayMs: number): number {
  return delayMs <= 0 ? 0 : Math.min(Math.ceil(delayMs) + 1, delayMsMax);
}
