/** The activity service's ingest, as the adapter uses it. */
import type { SendOutcome } from './im-client.ts';

/**
 * How a call with events of one room ended: `sent` from the front of what was given went with it, and
 * `taken` from the front of those are where they belong. `next` is what became of the one behind them;
 * null when all that were sent were taken. What lies behind is not touched.
 */
export interface BatchOutcome {
  /** 0 for none given. Fewer than given: the others did not fit into the call, and need another. */
  readonly sent: number;
  readonly taken: number;
  readonly next: Exclude<SendOutcome, { kind: 'done' }> | null;
}

/** Every call ends within its own deadline, the same for all. Never throws. */
export interface ActivityClient {
  /**
   * Delivers one envelope's bytes. The other side deduplicates by (app_code, event_id): a repeat is
   * `done`.
   */
  ingest(envelope: Uint8Array): Promise<SendOutcome>;
  /**
   * Delivers from the front of these envelopes, one at least, as many as the other side takes in one
   * call. They are of one room, in order. An `unknown` says that none is known to be taken.
   */
  ingestBatch(envelopes: readonly Uint8Array[]): Promise<BatchOutcome>;
  stop(): Promise<void>;
}
