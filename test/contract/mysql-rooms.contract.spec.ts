/** The contracts about rooms, slots and schemas on MySQL. */
import { openMysqlSpace } from '../support/mysql-space.ts';
import { replySlotsContract } from './suites/reply-slots-contract.ts';
import { roomQueriesContract } from './suites/room-queries-contract.ts';
import type { ListedRoom } from './suites/room-queries-contract.ts';
import { roomReaderContract } from './suites/room-reader-contract.ts';
import { schemaRegistryContract } from './suites/schema-registry-contract.ts';
import { snapshotStoreContract } from './suites/snapshot-store-contract.ts';

roomReaderContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    reader: space.drivers.roomReader,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

snapshotStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    reader: space.drivers.roomReader,
    snapshots: space.drivers.snapshotStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

roomQueriesContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const listOne = (room: ListedRoom): Promise<unknown> =>
    space.sql(
      'REPLACE INTO room_list_entries (app_code, room_id, status, title, cover_url, ' +
        'owner_user_id, mode, visible_region_id, locked, tags_json, seat_count, online_count, ' +
        "pinned, heat, heat_bucket, created_at_ms, updated_at_ms) VALUES (?, ?, ?, 't', 'c', " +
        '?, ?, ?, 0, ?, 8, 1, ?, ?, ?, 1, 1)',
      [
        room.appCode,
        room.roomId,
        room.status ?? 'active',
        room.ownerUserId ?? 'owner',
        room.mode ?? 'free',
        room.visibleRegionId ?? 1n,
        JSON.stringify(room.tags ?? []),
        room.pinned === true ? 1 : 0,
        room.heat ?? 0n,
        room.heatBucket ?? 0,
      ],
    );
  return {
    queries: space.drivers.roomQueries,
    store: space.drivers.partitionStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    list: async (rooms) => {
      for (const room of rooms) await listOne(room);
    },
    ban: async ({ appCode, userId, expiresAtMs }) => {
      await space.sql(
        'INSERT INTO user_bans (app_code, user_id, reason, banned_by, banned_at_ms, ' +
          "expires_at_ms) VALUES (?, ?, 'r', 'op', 1, ?)",
        [appCode, userId, expiresAtMs],
      );
    },
    enter: async (users) => {
      for (const { appCode, userId, roomId, joinedAtMs } of users) {
        await space.sql(
          'INSERT INTO user_rooms (app_code, user_id, room_id, joined_at_ms) VALUES (?, ?, ?, ?)',
          [appCode, userId, roomId, joinedAtMs],
        );
      }
    },
    close: () => space.close(),
  };
});

replySlotsContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    slots: space.drivers.replySlots,
    otherSlots: space.moreDrivers().replySlots,
    // The server's clock cannot be moved, so the leases are.
    pass: async (ms) => {
      await space.sql('UPDATE reply_slots SET lease_until_ms = lease_until_ms - ?', [ms]);
    },
    clear: async () => {
      await space.sql('DELETE FROM reply_slots');
    },
    close: () => space.close(),
  };
});

schemaRegistryContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return { registry: space.drivers.schemaRegistry, close: () => space.close() };
});
