/**
 * The chain over a room's logged events: each applied version carries a hash of everything that led
 * to it. Recovery that replays the log compares the chain, so a missing, doubled, reordered or
 * altered row is seen and not played on.
 */
import { createHash } from 'node:crypto';
import { assert } from '../kernel/assert.ts';

/** Length of every link, in bytes. */
export const chainHashBytes = 32;

/** Bytes of the chain before a room's first event. Make a copy before you change it. */
export const chainStart: Uint8Array = new Uint8Array(chainHashBytes);

/**
 * The link of a version: SHA-256 of the previous link and the logged event bytes exactly as they are
 * stored (never encoded again: another release might write them otherwise).
 */
export function chainHash(previous: Uint8Array, eventBytes: Uint8Array): Uint8Array {
  // A fixed length in front keeps the border between the two inputs unambiguous.
  assert(previous.length === chainHashBytes, 'a link has 32 bytes', { length: previous.length });
  return createHash('sha256').update(previous).update(eventBytes).digest();
}
