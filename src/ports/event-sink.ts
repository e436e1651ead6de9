/** A destination's topic as the relay writes it: acknowledged by all, in order per key. */
import type { ClaimedRun } from './outbox-store.ts';
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** `stored` for the whole run, or nothing certain about it. */
export type PublishOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'notSent'; readonly cause: string }
  | UnknownOutcome;

/** Publishes runs; each row becomes one record, keyed by the room, rows of a run in order. */
export interface EventSink {
  start(): Promise<void>;
  /** One outcome per run, in the order given. Never throws; bounded by `timeoutMs`. */
  publish(runs: readonly ClaimedRun[], timeoutMs: number): Promise<readonly PublishOutcome[]>;
  stop(): Promise<void>;
}
