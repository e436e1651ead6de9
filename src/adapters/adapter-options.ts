/** Limits and times of an adapter. Values come from `outbox_worker.*`; `main` checks the ranges. */
import type { BackoffLimits } from '../kernel/backoff.ts';
import { Failure } from '../kernel/failure.ts';

/** Everything is a named maximum. */
export interface AdapterOptions {
  /** From the start of a run: how long nobody else may claim it. */
  readonly lockMs: number;
  /** The longest that one send may take; a send that could outlive the lock is not begun. */
  readonly sendTimeoutMs: number;
  readonly maxRetryCount: number;
  readonly backoff: BackoffLimits;
  /** Rooms that are sent to at the same time; one room's events go in order. */
  readonly concurrentRooms: number;
  /** Confirmed events remembered, so that their repeats are not sent again. */
  readonly rememberedEvents: number;
}

/** What is not configurable has these values. */
export const adapterDefaults = {
  concurrentRooms: 256,
  rememberedEvents: 20_000,
} as const;

/** Throws a Reject failure when the numbers contradict each other. */
export function checkAdapterOptions(options: AdapterOptions): void {
  const fault =
    options.lockMs <= options.sendTimeoutMs
      ? 'outbox_worker.claim_lock: must be above outbox_worker.publish_timeout'
      : options.backoff.initialMs > options.backoff.maxMs
        ? 'outbox_worker.initial_backoff: must not be above outbox_worker.max_backoff'
        : null;
  if (fault === null) return;
  throw new Failure('reject', 'INVALID_FIELD', fault, {
    facts: { field: 'outbox_worker', fault },
  });
}
