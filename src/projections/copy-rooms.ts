/** The one way in which rooms get into the copy of the list: stamp, read MySQL, write (see the port). */
import type { AppCode, RoomId } from '../domain/ids.ts';
import type { CopyOutcome, RoomListCache } from '../ports/room-list-cache.ts';
import type { RoomQueries } from '../ports/room-queries.ts';

/** What copying stands on. */
export interface CopyPorts {
  readonly cache: RoomListCache;
  readonly queries: Pick<RoomQueries, 'roomsById' | 'listRooms' | 'listedApps'>;
}

/**
 * Copies these rooms as MySQL has them now; those that it does not have are taken off the list. At
 * most `roomIdsMax` of one app. Throws Retry when MySQL is out of reach.
 */
export async function copyRooms(
  { cache, queries }: CopyPorts,
  appCode: AppCode,
  roomIds: readonly RoomId[],
): Promise<CopyOutcome> {
  const stamp = await cache.stamp(appCode);
  if (stamp === null) return 'unreachable';
  const entries = await queries.roomsById(appCode, roomIds);
  const byId = new Map(entries.map((entry) => [entry.roomId, entry]));
  const rooms = roomIds.map((roomId) => ({ roomId, entry: byId.get(roomId) ?? null }));
  return cache.put(appCode, stamp, rooms);
}
