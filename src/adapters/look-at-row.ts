/** What is to be done with a started row when its turn comes, before anything is sent. */
import type { RoomEventType } from '../domain/room/events.ts';
import { eventRoutes } from '../domain/events/destinations.ts';
import type { Clock } from '../ports/clock.ts';
import type { StartedRow } from '../ports/outbox-store.ts';
import type { EventEnvelope } from '../protocol/records.ts';
import type { OutgoingEvent } from './event-sender.ts';
import type { EnvelopeReading, ReadEnvelope } from './read-envelope.ts';
import { laterTry, permanent } from './row-failure.ts';
import type { RowFailure } from './row-failure.ts';
import type { SendContext, StartedEvent } from './send-context.ts';

/** Whether a row may be sent now, and if not, what it comes to without. */
export type RowLook =
  | { readonly kind: 'send'; readonly event: OutgoingEvent }
  | { readonly kind: 'confirmed' | 'superseded' }
  | { readonly kind: 'failed'; readonly failure: RowFailure };

/** As of now: a row that waits while others are sent may have come to something else by then. */
export async function lookAtRow(
  context: SendContext,
  { row, event }: StartedEvent,
): Promise<RowLook> {
  const reading = await context.readEnvelope(event.envelope);
  if (reading.kind === 'unreadable') {
    return { kind: 'failed', failure: permanent(reading.cause, context.clock) };
  }
  if (reading.kind === 'later') {
    return { kind: 'failed', failure: laterTry(context, row, reading.cause, true) };
  }
  const { envelope } = reading;
  if (context.confirmed.has(envelope.appCode, envelope.eventId)) return { kind: 'confirmed' };
  if (isSuperseded(row, envelope, context.clock)) return { kind: 'superseded' };
  return { kind: 'send', event: { envelope, envelopeBytes: event.envelope } };
}

/**
 * A reader for one run that keeps the envelopes it read: those that did not fit into one call are
 * looked at again before the next. What could not be read is tried again.
 */
export function keepReadings(readEnvelope: ReadEnvelope): ReadEnvelope {
  const kept = new Map<Uint8Array, EnvelopeReading>();
  return async (bytes) => {
    const known = kept.get(bytes);
    if (known !== undefined) return known;
    const reading = await readEnvelope(bytes);
    if (reading.kind === 'envelope') kept.set(bytes, reading);
    return reading;
  };
}

/** The birth and the end of a room are told however late, whatever the row says. */
function isSuperseded(row: StartedRow, envelope: EventEnvelope, clock: Clock): boolean {
  if (row.usefulUntilMs === null || clock.wallMs() <= row.usefulUntilMs) return false;
  if (!Object.hasOwn(eventRoutes, envelope.eventType)) return true;
  return eventRoutes[envelope.eventType as RoomEventType].repairedBySnapshot;
}
