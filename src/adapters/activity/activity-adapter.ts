/**
 * Room events to the activity service: the envelope as it is, also of types that this release does
 * not know. The service deduplicates by (app_code, event_id).
 */
import type { ActivityClient } from '../../ports/activity-client.ts';
import type { EventSender } from '../event-sender.ts';

/** Sends envelopes through `client`, those of a run together. */
export function createActivitySender(client: ActivityClient): EventSender {
  return {
    destination: 'activity',
    send: ({ envelopeBytes }) => client.ingest(envelopeBytes),
    sendBatch: (events) => client.ingestBatch(events.map(({ envelopeBytes }) => envelopeBytes)),
  };
}
