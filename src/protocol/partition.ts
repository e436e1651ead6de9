/**
 * From a room to its partition of the commands topic. Producer and owner must agree on it for ever,
 * so the hash is written here and pinned by vectors instead of being left to a client library: it is
 * the one of the Java client, which every other producer of the topic would use by default.
 *
 * This is a wire format. Changing it, or the partition count, moves rooms to other owners.
 */
import { assert } from '../kernel/assert.ts';
import type { RoomKey } from '../domain/ids.ts';

/**
 * Key of a heartbeat fold. A fold names its partition outright (it holds many rooms of it), so this
 * key is a label for whoever looks at the topic and is never hashed.
 */
export const heartbeatKey = 'hb';

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;
const rotation = 24;

/** The key bytes of a command record: the route key in UTF-8. */
export function partitionKeyBytes(roomKey: RoomKey): Buffer {
  return Buffer.from(roomKey, 'utf8');
}

/**
 * The partition of a room, 0 … `partitionCount` − 1. The count comes from the topic layout stored in
 * MySQL, never from Kafka's metadata, which may show a changed topic before anybody agreed to it.
 */
export function partitionOf(roomKey: RoomKey, partitionCount: number): number {
  return partitionOfKey(partitionKeyBytes(roomKey), partitionCount);
}

/** The partition of a record's key, as every client with the Java client's default chooses it. */
export function partitionOfKey(key: Uint8Array, partitionCount: number): number {
  assert(Number.isInteger(partitionCount) && partitionCount > 0, 'a topic has partitions', {
    partitionCount,
  });
  return positive(murmur2(key)) % partitionCount;
}

/** 32-bit MurmurHash2 with the seed of the Java client, as a signed integer like there. */
export function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wholeWords = bytes.length >>> 2;
  let hash = seed ^ bytes.length;
  for (let word = 0; word < wholeWords; word += 1) {
    let mixed = Math.imul(view.getInt32(word * 4, true), multiplier);
    mixed = Math.imul(mixed ^ (mixed >>> rotation), multiplier);
    hash = Math.imul(hash, multiplier) ^ mixed;
  }
  const rest = wholeWords * 4;
  const restLength = bytes.length - rest;
  if (restLength > 2) hash ^= view.getUint8(rest + 2) << 16;
  if (restLength > 1) hash ^= view.getUint8(rest + 1) << 8;
  if (restLength > 0) hash = Math.imul(hash ^ view.getUint8(rest), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

/** Drops the sign bit. Not `Math.abs`, which would send other keys elsewhere than Java does. */
function positive(hash: number): number {
  return hash & 0x7fffffff;
}
