/** Memory twin of the gateway's read models: the room list, and the facts that joins are judged by. */
import { roomKeyOf, type AppCode, type RoomId, type UserId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import {
  listedAppsMax,
  listPageSizeOf,
  roomIdsMax,
  type ListCursor,
  type ListEntry,
  type ListQuery,
  type RoomIdPage,
  type RoomQueries,
  type UserRoom,
} from '../../ports/room-queries.ts';
import { inListOrder, isBehind } from './list-rows.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { userBanKey, type ListRow } from './memory-rows.ts';

/** See the file header. */
export class MemoryRoomQueries implements RoomQueries {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  listRooms(
    query: ListQuery,
  ): Promise<{ readonly entries: readonly ListEntry[]; readonly next: ListCursor | null }> {
    const { server, listEntries } = this.database;
    return server.call('queries', 'listing rooms', 'read', () => {
      const size = listPageSizeOf(query.pageSize);
      const page = listEntries
        .rowsBy('app', query.appCode)
        .filter((row) => isAsked(row, query) && isBehind(row, query.after))
        .sort(inListOrder)
        .slice(0, size);
      const last = page.at(-1);
      return { entries: page.map(entryOf), next: last === undefined ? null : cursorOf(last) };
    });
  }

  listedApps(): Promise<readonly AppCode[]> {
    const { server, listEntries } = this.database;
    return server.call('queries', 'listing apps', 'read', () =>
      [...new Set([...listEntries.values()].map(({ appCode }) => appCode))]
        .sort()
        .slice(0, listedAppsMax),
    );
  }

  roomsById(appCode: AppCode, roomIds: readonly RoomId[]): Promise<readonly ListEntry[]> {
    const { server, listEntries } = this.database;
    return server.call('queries', 'reading list entries', 'read', () => {
      assert(roomIds.length <= roomIdsMax, 'too many rooms in one look-up');
      return roomIds.flatMap((roomId) => {
        const row = listEntries.get(roomKeyOf(appCode, roomId));
        return row === undefined ? [] : [entryOf(row)];
      });
    });
  }

  roomsByOwner(
    appCode: AppCode,
    ownerUserId: UserId,
    { afterRoomId, pageSize }: RoomIdPage,
  ): Promise<readonly ListEntry[]> {
    const { server, listEntries } = this.database;
    return server.call('queries', 'listing rooms of an owner', 'read', () =>
      listEntries
        .rowsBy('app', appCode)
        .filter((row) => row.ownerUserId === ownerUserId && row.roomId > afterRoomId)
        .filter(({ status }) => status === 'active' || status === 'closing')
        .sort(byRoomId)
        .slice(0, listPageSizeOf(pageSize))
        .map(entryOf),
    );
  }

  roomsOfUser(
    appCode: AppCode,
    userId: UserId,
    { afterRoomId, pageSize }: RoomIdPage,
  ): Promise<readonly UserRoom[]> {
    const { server, userRooms } = this.database;
    return server.call('queries', 'listing rooms of a user', 'read', () =>
      userRooms
        .rowsBy('user', `${appCode}\0${userId}`)
        .filter(({ roomId }) => roomId > afterRoomId)
        .sort(byRoomId)
        .slice(0, listPageSizeOf(pageSize))
        .map(({ roomId, joinedAtMs }) => ({ roomId, joinedAtMs })),
    );
  }

  passwordOf(
    appCode: AppCode,
    roomId: RoomId,
  ): Promise<{ readonly passwordHash: string; readonly passwordVersion: bigint } | null> {
    const { server, rooms } = this.database;
    return server.call('queries', 'reading the password of a room', 'read', () => {
      const row = rooms.get(roomKeyOf(appCode, roomId));
      if (row === undefined) return null;
      const { passwordHash, passwordVersion } = row;
      return { passwordHash, passwordVersion };
    });
  }

  isPlatformBanned(appCode: AppCode, userId: UserId, nowMs: number): Promise<boolean> {
    const { server, userBans } = this.database;
    return server.call('queries', 'reading a ban by the platform', 'read', () => {
      const ban = userBans.get(userBanKey(appCode, userId));
      return ban !== undefined && (ban.expiresAtMs === 0 || ban.expiresAtMs > nowMs);
    });
  }
}

function byRoomId(left: { readonly roomId: RoomId }, right: { readonly roomId: RoomId }): number {
  return left.roomId < right.roomId ? -1 : 1;
}

function isAsked(row: ListRow, query: ListQuery): boolean {
  return (
    row.status === 'active' &&
    (query.visibleRegionId === null || row.visibleRegionId === query.visibleRegionId) &&
    (query.mode === null || row.mode === query.mode) &&
    (query.tag === null || row.tags.includes(query.tag))
  );
}

function entryOf(row: ListRow): ListEntry {
  const { roomId, status, title, coverUrl, ownerUserId, mode, visibleRegionId, locked, tags } = row;
  const { onlineCount, seatCount, pinned, heat, createdAtMs } = row;
  return {
    roomId,
    status,
    title,
    coverUrl,
    ownerUserId,
    mode,
    visibleRegionId,
    locked,
    tags,
    onlineCount,
    seatCount,
    pinned,
    heat,
    createdAtMs,
  };
}

function cursorOf({ pinned, heatBucket, roomId }: ListRow): ListCursor {
  return { pinned, heatBucket, roomId };
}
