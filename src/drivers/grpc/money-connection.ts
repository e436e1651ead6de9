/**
 * What clients of services have in common on whose answers coins hang: one connection, calls that end
 * with it, and failures that are doubts unless a contract says otherwise.
 */
import { setMaxListeners } from 'node:events';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AnyGenService } from './grpc-bridge.ts';
import { createGrpcClient, GrpcCallError } from './grpc-client.ts';
import type { UnaryCallOptions, UnaryCalls } from './grpc-client.ts';

/** Whom to call. */
export interface MoneyConnectionOptions {
  /** `host:port`. */
  readonly address: string;
  /** Bearer token, when the service asks for one. */
  readonly token?: string;
}

/** A connection; made with the first call and again by itself. */
export interface MoneyConnection<Service extends AnyGenService> {
  readonly calls: UnaryCalls<Service>;
  /** Options of one call with its own time limit. */
  readonly within: (timeoutMs: number) => UnaryCallOptions;
  /** Ends calls in flight and the connection. */
  readonly stop: () => Promise<void>;
}

/** See `MoneyConnection`. */
export function openMoneyConnection<Service extends AnyGenService>(
  service: Service,
  { address, token }: MoneyConnectionOptions,
  clock: Clock,
): MoneyConnection<Service> {
  const client = createGrpcClient(service, address, clock);
  const stopped = new AbortController();
  // One per call in flight; how many there may be is the caller's limit.
  setMaxListeners(0, stopped.signal);
  return {
    calls: client.calls,
    within: (timeoutMs) => ({
      timeoutMs,
      signal: stopped.signal,
      ...(token === undefined ? {} : { token }),
    }),
    stop() {
      stopped.abort();
      client.close();
      return Promise.resolve();
    },
  };
}

/** Every failure of a call that is no answer. */
export function doubt(thrown: unknown): UnknownOutcome {
  return unknownOutcome(thrown instanceof GrpcCallError ? sentenceOf(thrown) : thrown);
}

/** What the other side said, for a log line or a cause. */
export function sentenceOf({ failure }: GrpcCallError): string {
  return `${failure.status} ${failure.reason} ${failure.message}`.trim();
}
