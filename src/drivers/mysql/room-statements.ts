/**
 * The statements of a commit packet about rooms: their rows, their list entries, and who is present
 * in them. What belongs to operators alone (`pinned`) is left as it is.
 */
import type { RoomMetaRow, UserRoomsChange } from '../../ports/commit-lane.ts';
import { heatBucketOf } from '../../protocol/heat-bucket.ts';
import { big, bytes, text, textOrNull, whole, wholeOrNull } from './sql-literals.ts';

/** New rooms. A room id that is taken is refused (1062), also by the tombstone of a deleted room. */
export function roomsInsert(rows: readonly RoomMetaRow[]): string {
  return (
    'INSERT INTO rooms (app_code,room_id,partition_id,version,chain_hash,status,owner_user_id,' +
    'seat_count,mode,visible_region_id,password_hash,password_version,close_info_json,' +
    'next_deadline_ms,next_sweep_ms,created_at_ms,updated_at_ms) ' +
    `VALUES ${rows.map(roomValues).join()}`
  );
}

function roomValues(row: RoomMetaRow): string {
  return (
    `(${text(row.appCode)},${text(row.roomId)},${whole(row.partition)},${big(row.version)},` +
    `${bytes(row.chainHash)},${text(row.status)},${text(row.ownerUserId)},` +
    `${whole(row.seatCount)},${text(row.mode)},${big(row.visibleRegionId)},` +
    `${text(row.passwordHash)},${big(row.passwordVersion)},${textOrNull(row.closeInfoJson)},` +
    `${wholeOrNull(row.nextDeadlineMs)},${wholeOrNull(row.nextSweepMs)},` +
    `${whole(row.createdAtMs)},${whole(row.updatedAtMs)})`
  );
}

/** The WHERE alone decides: 0 rows mean that the stored version is another one. */
export function roomUpdate(row: RoomMetaRow): string {
  return (
    `UPDATE rooms SET version=${big(row.version)},chain_hash=${bytes(row.chainHash)},` +
    `status=${text(row.status)},owner_user_id=${text(row.ownerUserId)},` +
    `seat_count=${whole(row.seatCount)},mode=${text(row.mode)},` +
    `visible_region_id=${big(row.visibleRegionId)},password_hash=${text(row.passwordHash)},` +
    `password_version=${big(row.passwordVersion)},close_info_json=${textOrNull(row.closeInfoJson)},` +
    `next_deadline_ms=${wholeOrNull(row.nextDeadlineMs)},` +
    `next_sweep_ms=${wholeOrNull(row.nextSweepMs)},updated_at_ms=${whole(row.updatedAtMs)} ` +
    `WHERE ${isRoom(row)} AND version=${big(row.previousVersion)}`
  );
}

/** The list entries; those of deleted rooms go with `deletedRoomsRemoval`, behind it. */
export function listEntriesUpsert(rows: readonly RoomMetaRow[]): string {
  return (
    'INSERT INTO room_list_entries (app_code,room_id,status,title,cover_url,owner_user_id,mode,' +
    'visible_region_id,locked,tags_json,seat_count,online_count,heat,heat_bucket,created_at_ms,' +
    'updated_at_ms) ' +
    `VALUES ${rows.map(listValues).join()} ON DUPLICATE KEY UPDATE status=VALUES(status),` +
    'title=VALUES(title),cover_url=VALUES(cover_url),owner_user_id=VALUES(owner_user_id),' +
    'mode=VALUES(mode),visible_region_id=VALUES(visible_region_id),locked=VALUES(locked),' +
    'tags_json=VALUES(tags_json),seat_count=VALUES(seat_count),' +
    'online_count=VALUES(online_count),heat=VALUES(heat),heat_bucket=VALUES(heat_bucket),' +
    'updated_at_ms=VALUES(updated_at_ms)'
  );
}

function listValues(row: RoomMetaRow): string {
  return (
    `(${text(row.appCode)},${text(row.roomId)},${text(row.status)},${text(row.title)},` +
    `${text(row.coverUrl)},${text(row.ownerUserId)},${text(row.mode)},${big(row.visibleRegionId)},` +
    `${row.locked ? 1 : 0},${text(JSON.stringify(row.tags))},${whole(row.seatCount)},` +
    `${whole(row.onlineCount)},${big(row.heat)},${whole(heatBucketOf(row.heat))},` +
    `${whole(row.createdAtMs)},${whole(row.updatedAtMs)})`
  );
}

/** Takes away all that deleted rooms leave beside their rows and their log; nothing for others. */
export function deletedRoomsRemoval(rows: readonly RoomMetaRow[]): readonly string[] {
  const deleted = rows.filter(({ status }) => status === 'deleted').map(isRoom);
  if (deleted.length === 0) return [];
  return ['room_list_entries', 'room_snapshots', 'user_rooms'].map(
    (table) => `DELETE FROM ${table} WHERE ${deleted.join(' OR ')}`,
  );
}

/** Who left first, then who came, so that a room that is emptied keeps whom the batch brought in. */
export function userRoomsStatements(changes: readonly UserRoomsChange[]): readonly string[] {
  const gone = changes.flatMap((change) => {
    if (change.everybodyLeft) return [isRoom(change)];
    if (change.left.length === 0) return [];
    return [`(${isRoom(change)} AND user_id IN (${change.left.map(text).join()}))`];
  });
  const came = changes.flatMap(({ appCode, roomId, joined }) =>
    joined.map(
      ({ userId, joinedAtMs }) =>
        `(${text(appCode)},${text(userId)},${text(roomId)},${whole(joinedAtMs)})`,
    ),
  );
  const statements: string[] = [];
  if (gone.length > 0) statements.push(`DELETE FROM user_rooms WHERE ${gone.join(' OR ')}`);
  if (came.length > 0) {
    statements.push(
      `INSERT INTO user_rooms (app_code,user_id,room_id,joined_at_ms) VALUES ${came.join()} ` +
        'ON DUPLICATE KEY UPDATE joined_at_ms=VALUES(joined_at_ms)',
    );
  }
  return statements;
}

function isRoom({ appCode, roomId }: Pick<RoomMetaRow, 'appCode' | 'roomId'>): string {
  return `(app_code=${text(appCode)} AND room_id=${text(roomId)})`;
}
