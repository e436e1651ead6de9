/**
 * Where rooms stand in the copy of the list: one sorted set per app, all scores alike, whose members
 * sort by their bytes as the list does (decision 32). Texts and no scores: a score is a double, it
 * would merge heats above 2^53, and ties would fall by chance.
 *
 * A room has a member for each filter that shows it: `region|mode|place`, where region and mode are
 * empty or `=` and the value, and the place is `0` (pinned) or `1`, two digits that fall with the
 * heat bucket, and the room id. None of these holds a `|`.
 */
import type { CachedListQuery } from '../../ports/room-list-cache.ts';
import { cursorOf } from '../../ports/room-queries.ts';
import type { ListCursor, ListEntry } from '../../ports/room-queries.ts';

/** Above every bucket (62 at most), so that two digits always do. */
const bucketsMax = 99;

/** The members of one room. */
export const membersPerRoom = 4;

/** The place of a room by its facts. */
export function placeOf(entry: ListEntry): string {
  return placeOfCursor(cursorOf(entry));
}

/** The part of the sorted set that a page is cut from, as bounds of ZRANGEBYLEX. */
export function rangeOf({ visibleRegionId, mode, after }: CachedListQuery): {
  readonly from: string;
  readonly until: string;
} {
  const region = visibleRegionId === null ? '' : `=${visibleRegionId}`;
  const filter = `${region}|${mode === null ? '' : `=${mode}`}|`;
  // Places begin with 0 or 1: everything of the filter lies below 2.
  const from = after === null ? `[${filter}` : `(${filter}${placeOfCursor(after)}`;
  return { from, until: `(${filter}2` };
}

function placeOfCursor({ pinned, heatBucket, roomId }: ListCursor): string {
  // A cursor comes from a caller: a bucket that no room has still has a place before or behind all.
  const within = Math.min(Math.max(heatBucket, 0), bucketsMax);
  return `${pinned ? 0 : 1}${String(bucketsMax - within).padStart(2, '0')}${roomId}`;
}
