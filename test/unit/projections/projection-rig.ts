/** The copy of the list and MySQL, both as twins, with a server of the copy that a test disturbs. */
import { put, remove } from '../../../src/drivers/memory/memory-database.ts';
import { MemoryLeaseServer } from '../../../src/drivers/memory/memory-lease-server.ts';
import { MemoryMetrics } from '../../../src/drivers/memory/memory-metrics.ts';
import { MemoryRoomListCache } from '../../../src/drivers/memory/memory-room-list-cache.ts';
import type { ListRow } from '../../../src/drivers/memory/memory-rows.ts';
import { createSeededRandom } from '../../../src/drivers/memory/seeded-random.ts';
import { roomKeyOf, type AppCode, type RoomId, type RoomKey } from '../../../src/domain/ids.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { ListEntry } from '../../../src/ports/room-queries.ts';
import { heatBucketOf } from '../../../src/protocol/heat-bucket.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { openMemorySpace } from '../../support/memory-space.ts';

export const appCode = 'app1' as AppCode;
export const keyOf = (room: string): RoomKey => roomKeyOf(appCode, room as RoomId);

/** See the file header. */
export function projectionRig() {
  const space = openMemorySpace();
  const { time, database, drivers } = space;
  const server = new MemoryLeaseServer({ clock: time, timers: time });
  const cache = new MemoryRoomListCache(
    { readBudgetMs: 50, writeBudgetMs: 100 },
    server,
    createSeededRandom('projections'),
  );
  const log = new MemoryLog();
  const metrics = new MemoryMetrics();
  const ports = { cache, queries: drivers.roomQueries, clock: time, timers: time, log, metrics };
  /** Writes a list entry as a commit does. */
  const commit = (room: string, fields: Partial<ListRow> = {}): void => {
    const heat = fields.heat ?? 0n;
    const row: ListRow = {
      appCode,
      roomId: room as RoomId,
      status: 'active',
      title: room,
      coverUrl: '',
      ownerUserId: 'owner' as UserId,
      mode: 'free',
      visibleRegionId: 1n,
      locked: false,
      tags: [],
      seatCount: 8,
      onlineCount: 0,
      createdAtMs: 1,
      pinned: false,
      ...fields,
      heat,
      heatBucket: heatBucketOf(heat),
    };
    const key = roomKeyOf(row.appCode, row.roomId);
    database.commit([put(database.listEntries, key, row)]);
  };
  const forget = (room: string): void => {
    database.commit([remove(database.listEntries, keyOf(room))]);
  };
  /** The rooms that the copy lists, or why it lists none. */
  const listed = async (): Promise<readonly string[] | string> => {
    const page = await space.ended(cache.page(allOf(appCode)));
    return page.kind === 'page' ? page.entries.map(shown) : page.kind;
  };
  /** A full pass by hand, over what MySQL has now. */
  const makeReady = async (): Promise<void> => {
    const begun = await cache.stamp(appCode);
    if (begun === null) throw new Error('no stamp');
    const { entries } = await drivers.roomQueries.listRooms({ ...allOf(appCode), tag: null });
    const rooms = entries.map((entry) => ({ roomId: entry.roomId, entry }));
    await cache.put(appCode, begun, rooms);
    const end = await cache.endPass(appCode, begun, 3_600_000);
    if (end.kind !== 'ready') throw new Error(`the pass ended ${end.kind}`);
  };
  return { ...space, server, cache, log, metrics, ports, commit, forget, listed, makeReady };
}

function allOf(app: AppCode) {
  return { appCode: app, visibleRegionId: null, mode: null, after: null, pageSize: 200 } as const;
}

function shown({ title, heat }: ListEntry): string {
  return heat === 0n ? title : `${title} ${heat}`;
}
