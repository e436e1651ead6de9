/**
 * Which shard an outbox row lies in. All rows of one room lie in one shard, so that relays which
 * split the shards among them never share a room. Stored in rows: the function is a wire format.
 */
import type { RoomKey } from '../domain/ids.ts';

/** How many shards there are. Rows of old releases stay claimable because all shards are read. */
export const outboxShardCount = 8;

/** The shard of a room: FNV-1a (32 bit) over the route key's UTF-16 units, modulo the count. */
export function outboxShardOf(roomKey: RoomKey): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < roomKey.length; at += 1) {
    hash = Math.imul(hash ^ roomKey.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % outboxShardCount;
}
