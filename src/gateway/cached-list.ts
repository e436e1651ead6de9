/**
 * The room list from its copy in Redis where that can answer, else from MySQL: same order, same
 * shape, same cursors, so that a page begun on one side goes on at the other (LIST-2, decision 32).
 * A tag goes to MySQL: the copy keeps its order by region and mode, which every list is asked by, and
 * a sorted set per tag would cost each room up to as many members as it has tags.
 */
import type { Metrics } from '../ports/metrics.ts';
import type { RoomListCache } from '../ports/room-list-cache.ts';
import type { RoomQueries } from '../ports/room-queries.ts';

/** What answers. `roomListCache` null: MySQL alone (NEW-11). */
export interface CachedListPorts {
  readonly roomQueries: Pick<RoomQueries, 'listRooms'>;
  readonly roomListCache: Pick<RoomListCache, 'page'> | null;
  readonly metrics: Metrics;
}

/** Throws Retry when the cache does not answer and MySQL cannot be reached. */
export function createCachedList(ports: CachedListPorts): Pick<RoomQueries, 'listRooms'> {
  const { roomQueries, roomListCache, metrics } = ports;
  if (roomListCache === null) return roomQueries;
  return {
    async listRooms({ tag, ...query }) {
      const page = tag === null ? await roomListCache.page(query) : ({ kind: 'tag' } as const);
      metrics.count('gateway_list_pages_total', {
        from: page.kind === 'page' ? 'cache' : page.kind,
      });
      if (page.kind !== 'page') return roomQueries.listRooms({ ...query, tag });
      return { entries: page.entries, next: page.next };
    },
  };
}
