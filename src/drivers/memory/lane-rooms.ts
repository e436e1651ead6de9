/** The statements of a commit lane's packet about rooms and who is in them, on the memory database. */
import { roomKeyOf, type RoomKey } from '../../domain/ids.ts';
import type { RoomMetaRow, UserRoomsChange } from '../../ports/commit-lane.ts';
import { listRowOf } from './list-rows.ts';
import { put, remove, type MemoryDatabase } from './memory-database.ts';
import { userRoomKey } from './memory-rows.ts';
import type { MemoryTransaction } from './memory-session.ts';

/** Stages the list entries; of a deleted room nothing but its row stays. */
export function upsertListEntries(
  database: MemoryDatabase,
  transaction: MemoryTransaction,
  rows: readonly RoomMetaRow[],
): void {
  for (const row of rows) {
    const key = roomKeyOf(row.appCode, row.roomId);
    if (row.status === 'deleted') forgetRoom(database, transaction, key);
    else {
      const entry = listRowOf(row, database.listEntries.get(key));
      transaction.stage(put(database.listEntries, key, entry));
    }
  }
}

function forgetRoom(database: MemoryDatabase, transaction: MemoryTransaction, key: RoomKey): void {
  transaction.stage(remove(database.listEntries, key));
  transaction.stage(remove(database.snapshots, key));
  emptyRoom(database, transaction, key);
}

function emptyRoom(database: MemoryDatabase, transaction: MemoryTransaction, key: RoomKey): void {
  for (const row of database.userRooms.rowsBy('room', key)) {
    transaction.stage(remove(database.userRooms, userRoomKey(row)));
  }
}

/** Stages who left and who came. */
export function changeUserRooms(
  database: MemoryDatabase,
  transaction: MemoryTransaction,
  changes: readonly UserRoomsChange[],
): void {
  for (const { appCode, roomId, everybodyLeft, left, joined } of changes) {
    if (everybodyLeft) emptyRoom(database, transaction, roomKeyOf(appCode, roomId));
    for (const userId of left) {
      transaction.stage(remove(database.userRooms, userRoomKey({ appCode, userId, roomId })));
    }
    for (const { userId, joinedAtMs } of joined) {
      const row = { appCode, userId, roomId, joinedAtMs };
      transaction.stage(put(database.userRooms, userRoomKey(row), row));
    }
  }
}
