/** The activity service's ingest, as the adapter uses it. */
import type { SendOutcome } from './im-client.ts';

/** Every call ends within its own deadline. Never throws. */
export interface ActivityClient {
  /**
   * Delivers one envelope's bytes. The other side deduplicates by (app_code, event_id): a repeat is
   * `done`.
   */
  ingest(envelope: Uint8Array): Promise<SendOutcome>;
  stop(): Promise<void>;
}
