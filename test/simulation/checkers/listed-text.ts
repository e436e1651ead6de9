/** An entry of the room list as a text: equal exactly when clients are shown the same. */
import { textOf } from './calls.ts';

const fields = [
  ...['title', 'coverUrl', 'ownerUserId', 'mode', 'visibleRegionId', 'locked', 'tags'],
  ...['onlineCount', 'seatCount', 'pinned', 'heat', 'createdAtMs'],
] as const;

/** Of a row or of an entry; all rooms that are not listed are the same. */
export function listedText(entry: object | null): string {
  const shown = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (shown['status'] !== 'active') return textOf(null);
  return textOf(Object.fromEntries(fields.map((name) => [name, shown[name]])));
}
