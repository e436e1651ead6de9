/**
 * Reads of one room that its owner answers: who may be there, who is there, who may not come in, who
 * waits for the mic, who gave most, and the room itself. Who asks for what is judged by the owner, on
 * the state that it answers from; what the platform says of a user is asked for beside it.
 */
import { userIdFault } from '../domain/ids.ts';
import type { AppCode, UserId } from '../domain/ids.ts';
import { createAskGuard, type AskGuard, type AskGuardPorts } from '../owners/ask-guard.ts';
import { createAskOwner, type AskOwner, type AskOwnerPorts } from '../owners/ask-owner.ts';
import type { ReadCall } from '../ports/owner-reads.ts';
import type { CallFrame, Caller } from '../ports/room-api.ts';
import type { RoomPlace, RoomReadApi } from '../ports/room-read-api.ts';
import { askerOf, readCallOf } from './asker-of.ts';
import { checkPlace, checkUser } from './check-place.ts';
import type { GetRoomSnapshot } from './get-room-snapshot.ts';
import { createIssueRtcTicket, type IssueRtcTicketPorts } from './issue-rtc-ticket.ts';
import type { GatewayLimits } from './limits.ts';
import { encodeIdCursor, pageFaults, pageSizeOf } from './pages.ts';
import { refusal } from './refusals.ts';

/** What the queries stand on. */
export type OwnerQueryPorts = AskOwnerPorts & AskGuardPorts & IssueRtcTicketPorts;

/** The part of the API that owners answer. */
export type OwnerQueries = Pick<
  RoomReadApi,
  | 'readRoom'
  | 'guardUser'
  | 'issueRtcTicket'
  | 'listAudience'
  | 'listBans'
  | 'listMicRequests'
  | 'getGiftRank'
>;

const consistencies: readonly string[] = ['', 'cached', 'owner'];

/** Both ways to a room's owner, for the callers of the gateway. */
interface Asking {
  readonly ask: AskOwner;
  readonly askGuard: AskGuard;
  /** The caller's time as the owner's. */
  readonly callOf: (frame: CallFrame) => ReadCall;
}

/** `cached` reads the room without its owner. */
export function createOwnerQueries(
  ports: OwnerQueryPorts,
  parts: {
    readonly limits: GatewayLimits;
    readonly partitionCount: number;
    readonly cached: GetRoomSnapshot;
  },
): OwnerQueries {
  const ask = createAskOwner(ports, parts.partitionCount);
  const askGuard = createAskGuard(ask, ports);
  const asking = { ask, askGuard, callOf: (frame: CallFrame) => readCallOf(frame, parts.limits) };
  return {
    ...queriesOfVisitors(asking, ports, parts.cached),
    issueRtcTicket: createIssueRtcTicket(ports, { askGuard, limits: parts.limits }),
    ...listsOfRoom(asking),
  };
}

/** The room as visitors see it, and who may be one. */
function queriesOfVisitors(
  { ask, askGuard, callOf }: Asking,
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
      const { answer } = await ask(callOf(frame), { ...place, asker: askerOf(caller), question });
      return answer.view;
    },
    async guardUser(frame, asked) {
      const word = await askGuard(callOf(frame), checkUser(frame, asked));
      const { refusal: reason, roomVersion, ownerEpoch } = word;
      return { allowed: reason === null, reason: reason ?? '', roomVersion, ownerEpoch };
    },
    async listAudience(frame, { pageSize, cursor, ...place }) {
      const { caller, afterUserId } = checkPage(frame, place, { pageSize, cursor });
      const asker = askerOf(caller);
      const question = { kind: 'audience', afterUserId, pageSize: pageSizeOf(pageSize) } as const;
      const [{ roomVersion, answer }, isPlatformBanned] = await Promise.all([
        ask(callOf(frame), { ...place, asker, question }),
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
function listsOfRoom({
  ask,
  callOf,
}: Asking): Pick<OwnerQueries, 'listBans' | 'listMicRequests' | 'getGiftRank'> {
  return {
    async listBans(frame, { pageSize, cursor, ...place }) {
      const { caller, afterUserId } = checkPage(frame, place, { pageSize, cursor });
      const question = { kind: 'bans', afterUserId, pageSize: pageSizeOf(pageSize) } as const;
      const { roomVersion, answer } = await ask(callOf(frame), {
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
      const { roomVersion, answer } = await ask(callOf(frame), { ...place, asker, question });
      return { requests: answer.requests, roomVersion };
    },
    async getGiftRank(frame, { places, ...place }) {
      const caller = checkPlace(frame, place, (faults) => {
        if (places < 0) faults.add('places', 'negative');
      });
      const question = { kind: 'giftRank', places: pageSizeOf(places) } as const;
      const { roomVersion, answer } = await ask(callOf(frame), {
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
