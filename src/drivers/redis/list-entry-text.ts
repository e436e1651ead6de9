/**
 * A room of the list as Redis keeps it: a first line that the scripts read (region, mode and place,
 * parted by `|`), and the entry as JSON, which they do not: numbers of 64 bits are texts in it.
 */
import type { RoomId } from '../../domain/ids.ts';
import type { ListEntry } from '../../ports/room-queries.ts';
import { placeOf } from './list-place.ts';

/** The text of an active room. */
export function textOfEntry(entry: ListEntry): string {
  const { visibleRegionId, heat, mode } = entry;
  const json = { ...entry, visibleRegionId: String(visibleRegionId), heat: String(heat) };
  return `${visibleRegionId}|${mode}|${placeOf(entry)}\n${JSON.stringify(json)}`;
}

/** The entry of a text that was made here, or null. */
export function entryOfText(text: unknown): ListEntry | null {
  if (typeof text !== 'string') return null;
  try {
    const json: unknown = JSON.parse(text.slice(text.indexOf('\n') + 1));
    return isEntryJson(json)
      ? { ...json, visibleRegionId: BigInt(json.visibleRegionId), heat: BigInt(json.heat) }
      : null;
  } catch {
    // Not JSON, or no whole number: another release's text, or damage. MySQL knows the room.
    return null;
  }
}

type EntryJson = Omit<ListEntry, 'visibleRegionId' | 'heat'> & {
  readonly visibleRegionId: string;
  readonly heat: string;
};

const texts = ['roomId', 'title', 'coverUrl', 'ownerUserId', 'mode', 'visibleRegionId', 'heat'];
const numbers = ['onlineCount', 'seatCount', 'createdAtMs'];
const flags = ['locked', 'pinned'];

function isEntryJson(json: unknown): json is EntryJson & { readonly roomId: RoomId } {
  if (typeof json !== 'object' || json === null) return false;
  const has = (kind: string) => (field: string) =>
    typeof (json as Record<string, unknown>)[field] === kind;
  const { status, tags } = json as { readonly status?: unknown; readonly tags?: unknown };
  return (
    status === 'active' &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === 'string') &&
    texts.every(has('string')) &&
    numbers.every(has('number')) &&
    flags.every(has('boolean'))
  );
}
