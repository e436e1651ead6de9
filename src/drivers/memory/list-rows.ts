/** Entries of the room list as commits write them, and the order of the list (decision 32). */
import type { RoomMetaRow } from '../../ports/commit-lane.ts';
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

/** Pinned first, then the hotter bucket, then by room id. */
export function inListOrder(one: ListRow, other: ListRow): number {
  if (one.pinned !== other.pinned) return one.pinned ? -1 : 1;
  if (one.heatBucket !== other.heatBucket) return other.heatBucket - one.heatBucket;
  return one.roomId < other.roomId ? -1 : one.roomId > other.roomId ? 1 : 0;
}
