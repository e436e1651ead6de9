/** Lists that the gateway reads from MySQL alone: rooms by their ids, by owner, and by who is there. */
import { userIdFault, wideIdFault } from '../domain/ids.ts';
import type { AppCode, RoomId, UserId } from '../domain/ids.ts';
import type { RoomReadApi } from '../ports/room-read-api.ts';
import { roomIdsMax, type RoomQueries } from '../ports/room-queries.ts';
import { authorizeActor, authorizeApp } from './authorize.ts';
import { createFieldFaults } from './field-faults.ts';
import type { FieldFaults } from './field-faults.ts';
import { cursorBehind, pageFaults, pageSizeOf } from './pages.ts';

/** The part of the API that MySQL answers. */
export type StoredQueries = Pick<
  RoomReadApi,
  'batchGetRooms' | 'listRoomsByOwner' | 'getUserRooms'
>;

/** Throws INVALID_FIELD, or a Retry failure when MySQL is out of reach. */
export function createStoredQueries(
  queries: Pick<RoomQueries, 'roomsById' | 'roomsByOwner' | 'roomsOfUser'>,
): StoredQueries {
  return {
    async batchGetRooms(frame, { appCode, roomIds }) {
      authorizeApp(frame, appCode);
      const faults = createFieldFaults();
      faults.add('app_code', wideIdFault(appCode));
      if (roomIds.length > roomIdsMax) faults.add('room_ids', `more than ${roomIdsMax}`);
      else roomIds.forEach((id, at) => faults.add(`room_ids[${at}]`, wideIdFault(id)));
      faults.throwIfAny();
      const asked = [...new Set(roomIds)] as RoomId[];
      if (asked.length === 0) return [];
      const entries = await queries.roomsById(appCode as AppCode, asked);
      const byId = new Map(entries.map((entry) => [entry.roomId, entry]));
      return asked.flatMap((id) => byId.get(id) ?? []);
    },
    async listRoomsByOwner(frame, { appCode, ownerUserId, pageSize, cursor }) {
      authorizeApp(frame, appCode);
      const faults = createFieldFaults();
      faults.add('app_code', wideIdFault(appCode));
      faults.add('owner_user_id', userIdFault(ownerUserId));
      const page = pageOf(faults, { pageSize, cursor });
      const entries = await queries.roomsByOwner(appCode as AppCode, ownerUserId as UserId, page);
      return { entries, nextCursor: cursorBehind(entries, page.pageSize, idOf) };
    },
    async getUserRooms(frame, { appCode, userId, pageSize, cursor }) {
      const { actorUserId } = authorizeActor(frame, { appCode, actorUserId: userId });
      const faults = createFieldFaults();
      faults.add('app_code', wideIdFault(appCode));
      faults.add('user_id', userIdFault(actorUserId));
      const page = pageOf(faults, { pageSize, cursor });
      const rooms = await queries.roomsOfUser(appCode as AppCode, actorUserId as UserId, page);
      return { rooms, nextCursor: cursorBehind(rooms, page.pageSize, idOf) };
    },
  };
}

/** The page that is asked for. The last of the checks: throws INVALID_FIELD with every fault so far. */
function pageOf(
  faults: FieldFaults,
  asked: { readonly pageSize: number; readonly cursor: string },
): { readonly afterRoomId: RoomId | ''; readonly pageSize: number } {
  const afterRoomId = pageFaults(faults, asked, wideIdFault) as RoomId | '';
  faults.throwIfAny();
  return { afterRoomId, pageSize: pageSizeOf(asked.pageSize) };
}

function idOf({ roomId }: { readonly roomId: RoomId }): string {
  return roomId;
}
