/**
 * Reads of one room that its owner answers: who may be there, who is there, who may not come in, who
 * waits for the mic, who gave most, and the room itself. Who asks for what is judged by the owner, on
 * the state that it answers from; what the platform says of a user is asked for beside it.
 */
import { userIdFault } from '../domain/ids.ts';
import type { AppCode, UserId } from '../domain/ids.ts';
import type { CallFrame, Caller } from '../ports/room-api.ts';
import type { RoomPlace, RoomReadApi } from '../ports/room-read-api.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import { askerOf, createAskOwner, type AskOwner, type AskOwnerPorts } from './ask-owner.ts';
import { authorizeActor } from './authorize.ts';
import type { GetRoomSnapshot } from './get-room-snapshot.ts';
import type { GatewayLimits } from './limits.ts';
import { encodeIdCursor, pageFaults, pageSizeOf } from './pages.ts';
import { refusal } from './refusals.ts';
import { checkPlace } from './room-place.ts';

/** What the queries stand on. */
export interface OwnerQueryPorts extends AskOwnerPorts {
  readonly roomQueries: Pick<RoomQueries, 'isPlatformBanned'>;
}

/** The part of the API that owners answer. */
export type OwnerQueries = Pick<
  RoomReadApi,
  'readRoom' | 'guardUser' | 'listAudience' | 'listBans' | 'listMicRequests' | 'getGiftRank'
>;

const consistencies: readonly string[] = ['', 'cached', 'owner'];
/** A room that is not there explains more than what the platform thinks of a user. */
const roomRefusals: readonly (string | null)[] = ['ROOM_NOT_FOUND', 'ROOM_CLOSED'];

/** `cached` reads the room without its owner. */
export function createOwnerQueries(
  ports: OwnerQueryPorts,
  parts: {
    readonly limits: GatewayLimits;
    readonly partitionCount: number;
    readonly cached: GetRoomSnapshot;
  },
): OwnerQueries {
  const ask = createAskOwner(ports, parts);
  return { ...queriesOfVisitors(ask, ports, parts.cached), ...listsOfRoom(ask) };
}

/** The room as visitors see it, and who may be one. */
function queriesOfVisitors(
  ask: AskOwner,
  ports: OwnerQueryPorts,
  cached: GetRoomSnapshot,
): Pick<OwnerQueries, 'readRoom' | 'guardUser' | 'listAudience'> {
  const isBanned = (appCode: string, userId: UserId): Promise<boolean> =>
    ports.roomQueries.isPlatformBanned(appCode as AppCode, userId, ports.clock.wallMs());

  return {
    async readRoom(frame, { consistency, ...place }) {
      const caller = checkPlace(frame, place, (faults) => {
        if (!consistencies.includes(consistency)) faults.add('consistency', 'unknown value');
      });
      if (consistency !== 'owner') return cached(frame, place);
      const question = { kind: 'view' } as const;
      const { answer } = await ask(frame, { ...place, asker: askerOf(caller), question });
      return answer.view;
    },
    async guardUser(frame, { userId, ...place }) {
      const { appCode } = place;
      const { actorUserId } = authorizeActor(frame, { appCode, actorUserId: userId });
      const caller = checkPlace(frame, place, (faults) =>
        faults.add('user_id', userIdFault(actorUserId)),
      );
      const user = actorUserId as UserId;
      const question = { kind: 'guard', userId: user } as const;
      const [reply, isPlatformBanned] = await Promise.all([
        ask(frame, { ...place, asker: askerOf(caller), question }),
        isBanned(appCode, user),
      ]);
      const { roomVersion, ownerEpoch, answer } = reply;
      const reason =
        isPlatformBanned && !roomRefusals.includes(answer.refusal)
          ? 'USER_PLATFORM_BANNED'
          : answer.refusal;
      return { allowed: reason === null, reason: reason ?? '', roomVersion, ownerEpoch };
    },
    async listAudience(frame, { pageSize, cursor, ...place }) {
      const { caller, afterUserId } = checkPage(frame, place, { pageSize, cursor });
      const asker = askerOf(caller);
      const question = { kind: 'audience', afterUserId, pageSize: pageSizeOf(pageSize) } as const;
      const [{ roomVersion, answer }, isPlatformBanned] = await Promise.all([
        ask(frame, { ...place, asker, question }),
        asker.userId === null ? false : isBanned(place.appCode, asker.userId),
      ]);
      if (isPlatformBanned) throw refusal('USER_PLATFORM_BANNED');
      const { users, hasMore } = answer;
      const nextCursor = cursorAfter(hasMore, users.at(-1)?.user.userId);
      return { users, nextCursor, roomVersion };
    },
  };
}

/** Short lists that a room keeps, each bounded by itself. */
function listsOfRoom(
  ask: AskOwner,
): Pick<OwnerQueries, 'listBans' | 'listMicRequests' | 'getGiftRank'> {
  return {
    async listBans(frame, { pageSize, cursor, ...place }) {
      const { caller, afterUserId } = checkPage(frame, place, { pageSize, cursor });
      const question = { kind: 'bans', afterUserId, pageSize: pageSizeOf(pageSize) } as const;
      const { roomVersion, answer } = await ask(frame, {
        ...place,
        asker: askerOf(caller),
        question,
      });
      const { bans, hasMore } = answer;
      return { bans, nextCursor: cursorAfter(hasMore, bans.at(-1)?.userId), roomVersion };
    },
    async listMicRequests(frame, place) {
      const asker = askerOf(checkPlace(frame, place));
      const question = { kind: 'micRequests' } as const;
      const { roomVersion, answer } = await ask(frame, { ...place, asker, question });
      return { requests: answer.requests, roomVersion };
    },
    async getGiftRank(frame, { places, ...place }) {
      const caller = checkPlace(frame, place, (faults) => {
        if (places < 0) faults.add('places', 'negative');
      });
      const question = { kind: 'giftRank', places: pageSizeOf(places) } as const;
      const { roomVersion, answer } = await ask(frame, {
        ...place,
        asker: askerOf(caller),
        question,
      });
      return { giftRank: answer.places, roomHeat: answer.roomHeat, roomVersion };
    },
  };
}

function checkPage(
  frame: CallFrame,
  place: RoomPlace,
  page: { readonly pageSize: number; readonly cursor: string },
): { readonly caller: Caller; readonly afterUserId: UserId | '' } {
  let afterUserId = '';
  const caller = checkPlace(frame, place, (faults) => {
    afterUserId = pageFaults(faults, page, userIdFault);
  });
  return { caller, afterUserId: afterUserId as UserId | '' };
}

function cursorAfter(hasMore: boolean, lastId: string | undefined): string {
  return hasMore && lastId !== undefined ? encodeIdCursor(lastId) : '';
}
