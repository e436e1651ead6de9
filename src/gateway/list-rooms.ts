/**
 * The public room list, page by page. The cursor is the place of the last entry in the list order
 * (decision 32), not an offset: a page does not repeat or lose rooms because others came or went.
 */
import { wideIdFault } from '../domain/ids.ts';
import type { AppCode, RoomId } from '../domain/ids.ts';
import type { CallFrame, RoomApi } from '../ports/room-api.ts';
import type { ListCursor, RoomQueries } from '../ports/room-queries.ts';
import { authorizeApp } from './authorize.ts';
import { createFieldFaults } from './field-faults.ts';
import { fieldSizes, isRoomMode } from './field-rules.ts';
import { decodeCursorParts, encodeCursorParts } from './pages.ts';

const defaultPageSize = 20;
const largestPageSize = 100;

type ListRooms = RoomApi['listRooms'];

/** Reads MySQL alone. Throws INVALID_FIELD, or a Retry failure when MySQL is out of reach. */
export function createListRooms(roomQueries: Pick<RoomQueries, 'listRooms'>): ListRooms {
  return async (frame: CallFrame, query) => {
    authorizeApp(frame, query.appCode);
    const faults = createFieldFaults();
    faults.add('app_code', wideIdFault(query.appCode));
    if (!isRoomMode(query.mode)) faults.add('mode', 'unknown value');
    faults.text('tag', query.tag, fieldSizes.tag);
    if (query.pageSize < 0) faults.add('page_size', 'negative');
    const after = query.cursor === '' ? null : decodeCursor(query.cursor);
    if (after === 'malformed') faults.add('cursor', 'malformed');
    faults.throwIfAny();

    const pageSize = query.pageSize === 0 ? defaultPageSize : query.pageSize;
    const page = await roomQueries.listRooms({
      appCode: query.appCode as AppCode,
      visibleRegionId: query.visibleRegionId,
      mode: query.mode === '' ? null : query.mode,
      tag: query.tag === '' ? null : query.tag,
      after: after === 'malformed' ? null : after,
      pageSize: Math.min(pageSize, largestPageSize),
    });
    return {
      entries: page.entries,
      // A short page is the last one: no further call is needed to learn that.
      nextCursor:
        page.next === null || page.entries.length < Math.min(pageSize, largestPageSize)
          ? ''
          : encodeCursor(page.next),
    };
  };
}

/** Opaque to callers, and safe in a URL. */
export function encodeCursor(cursor: ListCursor): string {
  return encodeCursorParts([cursor.pinned ? 1 : 0, cursor.heatBucket, cursor.roomId]);
}

/** The place that a cursor of ours names, or `malformed` for everything else. */
export function decodeCursor(text: string): ListCursor | 'malformed' {
  const [pinned, heatBucket, roomId] = decodeCursorParts(text, 3) ?? [];
  if (pinned !== 0 && pinned !== 1) return 'malformed';
  if (typeof heatBucket !== 'number' || !Number.isInteger(heatBucket)) return 'malformed';
  if (typeof roomId !== 'string' || wideIdFault(roomId) !== null) return 'malformed';
  return { pinned: pinned === 1, heatBucket, roomId: roomId as RoomId };
}
