/** The contracts about rooms, slots and schemas on the memory twins. */
import { roomKeyOf, type RoomId, type UserId } from '../../../../src/domain/ids.ts';
import { put } from '../../../../src/drivers/memory/memory-database.ts';
import {
  userBanKey,
  userRoomKey,
  type ListRow,
} from '../../../../src/drivers/memory/memory-rows.ts';
import { replySlotsContract } from '../../../contract/suites/reply-slots-contract.ts';
import { roomQueriesContract } from '../../../contract/suites/room-queries-contract.ts';
import type { ListedRoom } from '../../../contract/suites/room-queries-contract.ts';
import { roomReaderContract } from '../../../contract/suites/room-reader-contract.ts';
import { schemaRegistryContract } from '../../../contract/suites/schema-registry-contract.ts';
import { snapshotStoreContract } from '../../../contract/suites/snapshot-store-contract.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

roomReaderContract('memory', () => {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
});

snapshotStoreContract('memory', () => {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    snapshots: drivers.snapshotStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
});

roomQueriesContract('memory', () => {
  const { database, drivers, close } = openMemorySpace();
  return Promise.resolve({
    queries: drivers.roomQueries,
    store: drivers.partitionStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    list: (rooms) => {
      for (const room of rooms) {
        const key = roomKeyOf(room.appCode, room.roomId as RoomId);
        database.commit([put(database.listEntries, key, listRow(room))]);
      }
      return Promise.resolve();
    },
    ban: ({ appCode, userId, expiresAtMs }) => {
      const bannedBy = 'op' as UserId;
      const row = { appCode, userId, reason: 'r', bannedBy, bannedAtMs: 1, expiresAtMs };
      database.commit([put(database.userBans, userBanKey(appCode, userId), row)]);
      return Promise.resolve();
    },
    enter: (users) => {
      for (const user of users) {
        const row = { ...user, roomId: user.roomId as RoomId };
        database.commit([put(database.userRooms, userRoomKey(row), row)]);
      }
      return Promise.resolve();
    },
    close,
  });
});

function listRow(room: ListedRoom): ListRow {
  return {
    appCode: room.appCode,
    roomId: room.roomId as RoomId,
    status: room.status ?? 'active',
    title: 't',
    coverUrl: 'c',
    ownerUserId: room.ownerUserId ?? ('owner' as UserId),
    mode: room.mode ?? 'free',
    visibleRegionId: room.visibleRegionId ?? 1n,
    locked: false,
    tags: room.tags ?? [],
    seatCount: 8,
    onlineCount: 1,
    createdAtMs: 1,
    pinned: room.pinned ?? false,
    heat: room.heat ?? 0n,
    heatBucket: room.heatBucket ?? 0,
  };
}

replySlotsContract('memory', () => {
  const { database, drivers, moreDrivers, time, close } = openMemorySpace();
  return Promise.resolve({
    slots: drivers.replySlots,
    otherSlots: moreDrivers().replySlots,
    pass: (ms) => time.advance(ms),
    clear: () => {
      database.slots.clear();
      return Promise.resolve();
    },
    close,
  });
});

schemaRegistryContract('memory', () => {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({ registry: drivers.schemaRegistry, close });
});
