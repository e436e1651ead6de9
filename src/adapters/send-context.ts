/** What the sending of a run stands on, and what it sends. */
import type { Clock } from '../ports/clock.ts';
import type { IncomingEvent } from '../ports/event-source.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { StartedRow } from '../ports/outbox-store.ts';
import type { Random } from '../ports/random.ts';
import type { AdapterOptions } from './adapter-options.ts';
import type { ConfirmedEvents } from './confirmed-events.ts';
import type { EventSender } from './event-sender.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { ReadEnvelope } from './read-envelope.ts';

/** What sending stands on. */
export interface SendContext {
  readonly sender: EventSender;
  readonly readEnvelope: ReadEnvelope;
  readonly confirmed: ConfirmedEvents;
  readonly outage: OutageWatch;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly options: AdapterOptions;
}

/** One row that may be sent, with its record. */
export interface StartedEvent {
  readonly row: StartedRow;
  readonly event: IncomingEvent;
}
