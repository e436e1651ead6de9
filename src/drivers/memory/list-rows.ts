/** Entries of the room list as commits write them, and the order of the list (decision 32). */
import type { RoomMetaRow } from '../../ports/commit-lane.ts';
import type { ListCursor } from '../../ports/room-queries.ts';
import { heatBucketOf } from '../../protocol/heat-bucket.ts';
import type { ListRow } from './memory-rows.ts';

/** The entry after a commit: what operators set stays, and the time of creation. */
export function listRowOf(row: RoomMetaRow, before: ListRow | undefined): ListRow {
  const { appCode, roomId, status, title, coverUrl, ownerUserId, mode, visibleRegionId } = row;
  const { locked, tags, seatCount, onlineCount } = row;
  return {
    appCode,
    roomId,
    status,
    title,
    coverUrl,
    ownerUserId,
    mode,
    visibleRegionId,
    locked,
    tags,
    seatCount,
    onlineCount,
    createdAtMs: before?.createdAtMs ?? row.createdAtMs,
    pinned: before?.pinned ?? false,
    heat: row.heat,
    heatBucket: heatBucketOf(row.heat),
  };
}

/** What the order is made of. */
export type ListPlace = Pick<ListRow, 'pinned' | 'heatBucket' | 'roomId'>;

/** Pinned first, then the hotter bucket, then by room id. */
export function inListOrder(one: ListPlace, other: ListPlace): number {
  if (one.pinned !== other.pinned) return one.pinned ? -1 : 1;
  if (one.heatBucket !== other.heatBucket) return other.heatBucket - one.heatBucket;
  return one.roomId < other.roomId ? -1 : one.roomId > other.roomId ? 1 : 0;
}

/** The room of the cursor may have left the list or moved: only its place counts. */
export function isBehind(row: ListPlace, after: ListCursor | null): boolean {
  if (after === null) return true;
  if (row.pinned !== after.pinned) return after.pinned;
  if (row.heatBucket !== after.heatBucket) return row.heatBucket < after.heatBucket;
  return row.roomId > after.roomId;
}
