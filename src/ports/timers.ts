/** Waiting, as the program does it. Injected, so that a simulation owns every pause. */

/** Stops what was scheduled; harmless when it has run or was stopped already. */
export type CancelTimer = () => void;

/** Schedules on the monotonic clock: in the order of the times, maybe late, never early. */
export interface Timers {
  /** Calls `run` once, `delayMs` from now. A throw inside `run` is a fault of the process. */
  after(delayMs: number, run: () => void): CancelTimer;
  /** Resolves after `delayMs`, or at once (without throwing) when `signal` aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}
