/** Which destinations hold a room's later events back behind a failed one, by the configuration. */
import type { BlockingDestinations } from '../ports/outbox-store.ts';
import { destinations } from '../protocol/topics.ts';
import type { RoomcellConfig } from './config/config-schema.ts';

/** Those for which `outbox_worker.on_failed` says `block`. */
export function blockingDestinationsOf({ outboxWorker }: RoomcellConfig): BlockingDestinations {
  return destinations.filter((destination) => outboxWorker.onFailed[destination] === 'block');
}
