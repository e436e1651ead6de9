/** The commands topic as the gateway writes it: acknowledged by all replicas, ordered per partition. */
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** A record to append. The partition is named by us, never by the client library's hash. */
export interface OutgoingRecord {
  readonly partition: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** `notSent` promises that nothing reached the broker; `unknown` promises nothing. */
export type ProduceOutcome =
  | { readonly kind: 'stored'; readonly offset: bigint }
  | { readonly kind: 'notSent'; readonly cause: string }
  | UnknownOutcome;

/**
 * Gathers what comes while a send is in flight and sends it together; one send in flight per
 * partition, so that a retry never reorders.
 */
export interface CommandSink {
  start(): Promise<void>;
  /** Never throws. `notSent` at once when the sink's bounded queue is full. */
  produce(record: OutgoingRecord): Promise<ProduceOutcome>;
  /** The offset the next record of the partition will get. Throws Retry when unreachable. */
  endOffset(partition: number): Promise<bigint>;
  /** Whether the broker answered lately. */
  isHealthy(): boolean;
  /** Waits for what is in flight, then closes. Idempotent. */
  stop(): Promise<void>;
}
