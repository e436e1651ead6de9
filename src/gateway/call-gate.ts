/**
 * Counts the calls in flight and refuses new ones before the start and from the drain on, so that a
 * drain can wait for exactly those that were let in.
 */
import { createDeferred } from '../kernel/deferred.ts';
import { notProduced, refusal } from './refusals.ts';

/** See the file header. */
export interface CallGate {
  readonly state: 'starting' | 'open' | 'draining';
  readonly inFlight: number;
  /** Aborts with the drain: for what a drain ends and does not wait for. */
  readonly draining: AbortSignal;
  open(): void;
  /** Runs `call`, or throws DRAINING (UNAVAILABLE before the start) without running it. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Refuses from now on; resolves when no call is in flight. Idempotent. */
  drain(): Promise<void>;
}

/** A gate that is still closed. */
export function createCallGate(): CallGate {
  let state: CallGate['state'] = 'starting';
  let inFlight = 0;
  const idle = createDeferred<void>();
  const drained = new AbortController();
  const settleWhenIdle = (): void => {
    if (state === 'draining' && inFlight === 0) idle.resolve();
  };
  return {
    get state() {
      return state;
    },
    get inFlight() {
      return inFlight;
    },
    draining: drained.signal,
    open() {
      if (state === 'starting') state = 'open';
    },
    async run(call) {
      if (state !== 'open') {
        throw refusal(state === 'draining' ? 'DRAINING' : 'UNAVAILABLE', notProduced);
      }
      inFlight += 1;
      try {
        return await call();
      } finally {
        inFlight -= 1;
        settleWhenIdle();
      }
    },
    drain() {
      state = 'draining';
      drained.abort();
      settleWhenIdle();
      return idle.promise;
    },
  };
}
