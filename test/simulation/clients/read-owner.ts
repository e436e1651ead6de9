/** Questions to the owner of a room, as a client puts them to the gateway, and their answers. */
import type { CallFrame } from '../../../src/ports/room-api.ts';
import type { RoomReadApi } from '../../../src/ports/room-read-api.ts';
import type { CallAsk, CallEnd, ReadAnswer, ReadQuestion } from '../observations.ts';
import type { ReadAsk } from '../plan/planned-ask.ts';

/** The question of a plan; the guard is asked about `userId`. */
export function questionOf({ question: kind, size }: ReadAsk, userId: string): ReadQuestion {
  switch (kind) {
    case 'guard':
      return { kind, userId };
    case 'audience':
    case 'bans':
      return { kind, pageSize: size };
    case 'giftRank':
      return { kind, places: size };
    default:
      return { kind };
  }
}

/** Asks; throws what the API throws. */
export async function readOwner(
  api: RoomReadApi,
  frame: CallFrame,
  { appCode, roomId, question }: Extract<CallAsk, { kind: 'readOwner' }>,
): Promise<CallEnd> {
  const place = { appCode, roomId };
  switch (question.kind) {
    case 'view': {
      const view = await api.readRoom(frame, { ...place, consistency: 'owner' });
      return read(view.version, { kind: 'view', view });
    }
    case 'guard': {
      const verdict = await api.guardUser(frame, { ...place, userId: question.userId });
      const { allowed, reason, roomVersion, ownerEpoch } = verdict;
      return read(roomVersion, { kind: 'guard', refusal: allowed ? null : reason }, ownerEpoch);
    }
    case 'audience': {
      const page = { ...place, pageSize: question.pageSize, cursor: '' };
      const { users, nextCursor, roomVersion } = await api.listAudience(frame, page);
      return read(roomVersion, { kind: 'audience', users, hasMore: nextCursor !== '' });
    }
    case 'bans': {
      const page = { ...place, pageSize: question.pageSize, cursor: '' };
      const { bans, nextCursor, roomVersion } = await api.listBans(frame, page);
      return read(roomVersion, { kind: 'bans', bans, hasMore: nextCursor !== '' });
    }
    case 'micRequests': {
      const { requests, roomVersion } = await api.listMicRequests(frame, place);
      return read(roomVersion, { kind: 'micRequests', requests });
    }
    case 'giftRank': {
      const { places } = question;
      const { giftRank, roomHeat, roomVersion } = await api.getGiftRank(frame, {
        ...place,
        places,
      });
      return read(roomVersion, { kind: 'giftRank', places: giftRank, roomHeat });
    }
  }
}

function read(version: bigint, answer: ReadAnswer, ownerEpoch: bigint | null = null): CallEnd {
  return { kind: 'read', version, ownerEpoch, answer };
}
