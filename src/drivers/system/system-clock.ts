/**
 * The machine's two clocks behind the Clock port: the only place of the program, together with
 * `main`, that reads the time.
 */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.ts';

/** Wall time from the operating system, monotonic time since this process began (fractions of a ms). */
export function createSystemClock(): Clock {
  return {
    wallMs: () => Date.now(),
    monoMs: () => performance.now(),
  };
}
