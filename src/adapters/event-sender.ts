/** What an adapter does with one event: the only part in which destinations differ. */
import type { EventEnvelope } from '../protocol/records.ts';
import type { Destination } from '../protocol/topics.ts';
import type { BatchOutcome } from '../ports/activity-client.ts';
import type { SendOutcome } from '../ports/im-client.ts';

/** One event on its way out. */
export interface OutgoingEvent {
  readonly envelope: EventEnvelope;
  /** As stored: destinations that pass the envelope on send these bytes. */
  readonly envelopeBytes: Uint8Array;
}

/** Sends to one destination. A repeat of an event must be harmless there (PUB-5). */
export interface EventSender {
  readonly destination: Destination;
  /** Every call inside ends within its own deadline. Never throws. */
  send(event: OutgoingEvent): Promise<SendOutcome>;
  /**
   * The same for consecutive events of one room, in as long as a single one may take: sends from the
   * front as many as go together. Absent where the destination takes them one by one.
   */
  sendBatch?(events: readonly OutgoingEvent[]): Promise<BatchOutcome>;
}
