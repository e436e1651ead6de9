/** The gateway's read models from MySQL: the room list, and the facts that joins are judged by. */
import type { AppCode, RoomId, UserId } from '../../domain/ids.ts';
import type { RoomStatus } from '../../domain/room/state.ts';
import { assert } from '../../kernel/assert.ts';
import { listedAppsMax, listPageSizeOf, roomIdsMax } from '../../ports/room-queries.ts';
import type {
  ListCursor,
  ListEntry,
  ListQuery,
  RoomIdPage,
  RoomQueries,
  UserRoom,
} from '../../ports/room-queries.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';

const entryColumns =
  'room_id, status, title, cover_url, owner_user_id, mode, visible_region_id, locked, tags_json, ' +
  'online_count, seat_count, pinned, heat, heat_bucket, created_at_ms';

/** See the port. */
export class MysqlRoomQueries implements RoomQueries {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async listRooms(
    query: ListQuery,
  ): Promise<{ readonly entries: readonly ListEntry[]; readonly next: ListCursor | null }> {
    const size = listPageSizeOf(query.pageSize);
    const rows: Row[] = [];
    // The rest of the list behind a cursor is up to three ranges of the index, one after another;
    // as one condition with OR the server would read from the front and filter.
    for (const range of rangesAfter(query.after)) {
      if (rows.length === size) break;
      rows.push(...(await this.readRange(query, range, size - rows.length)));
    }
    const last = rows.at(-1);
    return { entries: rows.map(entryOf), next: last === undefined ? null : cursorOf(last) };
  }

  async listedApps(): Promise<readonly AppCode[]> {
    const rows = await this.pool.rows(
      'listing apps',
      'SELECT DISTINCT app_code FROM room_list_entries ORDER BY app_code LIMIT ?',
      [listedAppsMax],
    );
    return rows.map((row) => String(row['app_code']) as AppCode);
  }

  async roomsById(appCode: AppCode, roomIds: readonly RoomId[]): Promise<readonly ListEntry[]> {
    assert(roomIds.length <= roomIdsMax, 'too many rooms in one look-up', { ids: roomIds.length });
    if (roomIds.length === 0) return [];
    const rows = await this.pool.rows(
      'reading list entries',
      `SELECT ${entryColumns} FROM room_list_entries WHERE app_code = ? AND room_id IN (?)`,
      [appCode, roomIds],
    );
    return rows.map(entryOf);
  }

  async roomsByOwner(
    appCode: AppCode,
    ownerUserId: UserId,
    { afterRoomId, pageSize }: RoomIdPage,
  ): Promise<readonly ListEntry[]> {
    const rows = await this.pool.rows(
      'listing rooms of an owner',
      `SELECT ${entryColumns} FROM room_list_entries WHERE app_code = ? AND owner_user_id = ? ` +
        "AND room_id > ? AND status IN ('active', 'closing') ORDER BY room_id LIMIT ?",
      [appCode, ownerUserId, afterRoomId, listPageSizeOf(pageSize)],
    );
    return rows.map(entryOf);
  }

  async roomsOfUser(
    appCode: AppCode,
    userId: UserId,
    { afterRoomId, pageSize }: RoomIdPage,
  ): Promise<readonly UserRoom[]> {
    const rows = await this.pool.rows(
      'listing rooms of a user',
      'SELECT room_id, joined_at_ms FROM user_rooms ' +
        'WHERE app_code = ? AND user_id = ? AND room_id > ? ORDER BY room_id LIMIT ?',
      [appCode, userId, afterRoomId, listPageSizeOf(pageSize)],
    );
    return rows.map((row) => ({
      roomId: String(row['room_id']) as RoomId,
      joinedAtMs: Number(row['joined_at_ms']),
    }));
  }

  async passwordOf(
    appCode: AppCode,
    roomId: RoomId,
  ): Promise<{ readonly passwordHash: string; readonly passwordVersion: bigint } | null> {
    const rows = await this.pool.rows(
      'reading the password of a room',
      'SELECT password_hash, password_version FROM rooms WHERE app_code = ? AND room_id = ?',
      [appCode, roomId],
    );
    const row = rows[0];
    if (row === undefined) return null;
    return {
      passwordHash: String(row['password_hash']),
      passwordVersion: BigInt(String(row['password_version'])),
    };
  }

  async isPlatformBanned(appCode: AppCode, userId: UserId, nowMs: number): Promise<boolean> {
    const rows = await this.pool.rows(
      'reading a ban by the platform',
      'SELECT 1 FROM user_bans WHERE app_code = ? AND user_id = ? ' +
        'AND (expires_at_ms = 0 OR expires_at_ms > ?)',
      [appCode, userId, nowMs],
    );
    return rows.length > 0;
  }

  private async readRange(query: ListQuery, range: Range, limit: number): Promise<readonly Row[]> {
    const filter = filterOf(query);
    const where = ["app_code = ? AND status = 'active'", range.sql, ...filter.sql].join(' AND ');
    return this.pool.rows(
      'listing rooms',
      `SELECT ${entryColumns} FROM room_list_entries WHERE ${where} ` +
        'ORDER BY pinned DESC, heat_bucket DESC, room_id LIMIT ?',
      [query.appCode, ...range.values, ...filter.values, limit],
    );
  }
}

interface Range {
  readonly sql: string;
  readonly values: readonly unknown[];
}

function rangesAfter(after: ListCursor | null): readonly Range[] {
  if (after === null) return [{ sql: 'TRUE', values: [] }];
  const pinned = after.pinned ? 1 : 0;
  return [
    {
      sql: 'pinned = ? AND heat_bucket = ? AND room_id > ?',
      values: [pinned, after.heatBucket, after.roomId],
    },
    { sql: 'pinned = ? AND heat_bucket < ?', values: [pinned, after.heatBucket] },
    { sql: 'pinned < ?', values: [pinned] },
  ];
}

function filterOf(query: ListQuery): { readonly sql: string[]; readonly values: unknown[] } {
  const sql: string[] = [];
  const values: unknown[] = [];
  if (query.visibleRegionId !== null) {
    sql.push('visible_region_id = ?');
    values.push(query.visibleRegionId);
  }
  if (query.mode !== null) {
    sql.push('mode = ?');
    values.push(query.mode);
  }
  if (query.tag !== null) {
    // Whole tags only; matching the text with LIKE would also find a tag across two neighbours.
    sql.push('JSON_CONTAINS(tags_json, ?)');
    values.push(JSON.stringify(query.tag));
  }
  return { sql, values };
}

function entryOf(row: Row): ListEntry {
  return {
    roomId: String(row['room_id']) as RoomId,
    status: String(row['status']) as RoomStatus,
    title: String(row['title']),
    coverUrl: String(row['cover_url']),
    ownerUserId: String(row['owner_user_id']),
    mode: String(row['mode']),
    visibleRegionId: BigInt(String(row['visible_region_id'])),
    locked: Number(row['locked']) === 1,
    tags: JSON.parse(String(row['tags_json'])) as readonly string[],
    onlineCount: Number(row['online_count']),
    seatCount: Number(row['seat_count']),
    pinned: Number(row['pinned']) === 1,
    heat: BigInt(String(row['heat'])),
    createdAtMs: Number(row['created_at_ms']),
  };
}

function cursorOf(row: Row): ListCursor {
  return {
    pinned: Number(row['pinned']) === 1,
    heatBucket: Number(row['heat_bucket']),
    roomId: String(row['room_id']) as RoomId,
  };
}
