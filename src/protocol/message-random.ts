/**
 * The number by which the messaging vendor recognises a message that it got twice. Derived from the
 * event, so that every try of one event, by any worker, carries the same one.
 */
import { createHash } from 'node:crypto';
import type { EventId } from '../domain/ids.ts';

/** The first four bytes of SHA-256 over the event id, as an unsigned 32-bit number. */
export function messageRandom(eventId: EventId): number {
  return createHash('sha256').update(eventId, 'utf8').digest().readUInt32BE(0);
}
