/**
 * What the columns of the real tables refuse, as far as a fault of ours could produce it: texts that
 * are too long, numbers out of range. The other kinds of refused data look the same to a lane.
 */
import type { LaneBatch, RoomMetaRow } from '../../ports/commit-lane.ts';

const titleCharsMax = 128;
const coverUrlCharsMax = 512;
const tagsJsonCharsMax = 1_024;
const modeCharsMax = 16;
const hashBytesMax = 32;
const int32Max = 2 ** 31 - 1;
const int64Max = 2n ** 63n - 1n;

/** Why the database takes this batch at no try, or null. */
export function columnRefusal(batch: LaneBatch): string | null {
  for (const row of batch.roomRows) {
    const column = refusedColumnOf(row);
    if (column !== null) return `rooms: ${column} does not fit (${row.roomId})`;
  }
  return null;
}

function refusedColumnOf(row: RoomMetaRow): string | null {
  const { title, coverUrl, mode, tags, chainHash, seatCount, visibleRegionId } = row;
  if (charactersOf(title) > titleCharsMax) return 'title';
  if (charactersOf(coverUrl) > coverUrlCharsMax) return 'cover_url';
  if (charactersOf(JSON.stringify(tags)) > tagsJsonCharsMax) return 'tags_json';
  if (!/^[\0-\x7f]*$/.test(mode) || mode.length > modeCharsMax) return 'mode';
  if (chainHash.length > hashBytesMax) return 'chain_hash';
  if (!Number.isSafeInteger(seatCount) || Math.abs(seatCount) > int32Max) return 'seat_count';
  if (visibleRegionId > int64Max || visibleRegionId < -int64Max - 1n) return 'visible_region_id';
  if (row.heat < 0n || row.heat > int64Max) return 'heat';
  if (!Number.isSafeInteger(row.updatedAtMs)) return 'updated_at_ms';
  return null;
}

/** As MySQL counts: a pair of surrogates is one character. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}
