/**
 * Errors sorted by what the caller must do. There are four outcomes and no fifth:
 * Reject (answer the client, never retried), Retry (transient, with a delay), Fenced (this node lost
 * the partition: drop it, write and send nothing), Corrupt (an invariant is broken: stop, alarm).
 */

/** What whoever receives the failure has to do. */
export type FailureKind = 'reject' | 'retry' | 'fenced' | 'corrupt';

/** Facts that travel with a failure: strings only, because they go into gRPC metadata and logs. */
export type FailureFacts = Readonly<Record<string, string>>;

/**
 * A failure with a reason code of the catalogue (`src/domain/reasons.ts`). Thrown across stage
 * boundaries; inside the domain the same facts travel as plain values.
 */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly reason: string;
  readonly facts: FailureFacts;
  /** How long to wait before another try; present for `retry` only. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    reason: string,
    message: string,
    options: { facts?: FailureFacts; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.reason = reason;
    this.facts = options.facts ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}
