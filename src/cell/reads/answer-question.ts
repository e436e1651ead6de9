/**
 * What one committed state of a room answers to a read, and who may know it. Pure: the owner calls it
 * with the state that it holds at the moment of the answer.
 */
import type { UserId } from '../../domain/ids.ts';
import { giftRank } from '../../domain/gift/gift-rank.ts';
import { findSeatByUser } from '../../domain/mic/seats.ts';
import { guardUser } from '../../domain/presence/guard-user.ts';
import { roleOf } from '../../domain/roles/role-of.ts';
import { roomView } from '../../domain/room/room-view.ts';
import type { PresentUser, RoomState } from '../../domain/room/state.ts';
import { assertNever } from '../../kernel/assert.ts';
import {
  readPageSizeMax,
  type AudienceUser,
  type OwnerAnswer,
  type OwnerRead,
  type PageQuestion,
  type ReadAsker,
} from '../../ports/owner-reads.ts';
import { refused } from './refused.ts';

/**
 * Throws ROOM_NOT_FOUND (the guard alone says no instead), NOT_ROOM_MANAGER, or the guard's refusal to
 * a user who may not see the audience.
 */
export function answerQuestion(
  state: RoomState,
  { question, asker }: Pick<OwnerRead, 'question' | 'asker'>,
  facts: { readonly nowMs: number; readonly giftRankMax: number },
): OwnerAnswer {
  if (question.kind === 'guard') {
    const refusal = guardUser(state, question.userId, facts.nowMs);
    const onSeat = refusal === null && findSeatByUser(state.seats, question.userId) !== null;
    return { kind: 'guard', refusal, onSeat };
  }
  if (state.status === 'absent') throw refused('ROOM_NOT_FOUND');
  switch (question.kind) {
    case 'view':
      return { kind: 'view', view: roomView(state, asker.userId, facts.giftRankMax) };
    case 'audience': {
      refuseUnguarded(state, asker, facts.nowMs);
      const { page, hasMore } = pageOf(state.users.values(), question);
      return { kind: 'audience', users: page.map((user) => inAudience(state, user)), hasMore };
    }
    case 'bans': {
      refuseUnlessManager(state, asker);
      const { page, hasMore } = pageOf(state.bans.values(), question);
      return { kind: 'bans', bans: page, hasMore };
    }
    case 'micRequests':
      refuseUnlessManager(state, asker);
      return { kind: 'micRequests', requests: state.micRequests };
    case 'giftRank': {
      const places = giftRank(state.topGiftSenders, bounded(question.places));
      return { kind: 'giftRank', places, roomHeat: state.heat };
    }
    default:
      return assertNever(question, 'a question without an answer');
  }
}

/**
 * The entries behind `afterUserId`, by user id. One walk that keeps a page: a room of 10,000 users is
 * not put in order for every twenty of them.
 */
export function pageOf<T extends { readonly userId: UserId }>(
  entries: Iterable<T>,
  { afterUserId, pageSize }: PageQuestion,
): { readonly page: readonly T[]; readonly hasMore: boolean } {
  const size = bounded(pageSize);
  // Ascending, at most one more than the page: the extra one says that there is more.
  const first: T[] = [];
  for (const entry of entries) {
    if (entry.userId <= afterUserId) continue;
    const last = first.at(-1);
    if (first.length > size && last !== undefined && entry.userId >= last.userId) continue;
    const at = first.findIndex(({ userId }) => userId > entry.userId);
    first.splice(at === -1 ? first.length : at, 0, entry);
    if (first.length > size + 1) first.pop();
  }
  return { page: first.slice(0, size), hasMore: first.length > size };
}

/** The gateway has checked it; a node of another release may not have. */
function bounded(size: number): number {
  return Math.min(Math.max(size, 1), readPageSizeMax);
}

function inAudience(state: RoomState, user: PresentUser): AudienceUser {
  const seatNo = findSeatByUser(state.seats, user.userId)?.seat.seatNo ?? 0;
  return { user, role: roleOf(state, user.userId), seatNo };
}

/** Throws the guard's refusal to a user; above the room nobody is asked for its yes. */
export function refuseUnguarded(state: RoomState, asker: ReadAsker, nowMs: number): void {
  if (asker.role !== 'user') return;
  const userId = userOf(asker);
  const refusal = guardUser(state, userId, nowMs);
  if (refusal !== null) throw refused(refusal, { user_id: userId });
}

function refuseUnlessManager(state: RoomState, asker: ReadAsker): void {
  if (asker.role !== 'user') return;
  const userId = userOf(asker);
  if (roleOf(state, userId) === 'member') {
    throw refused('NOT_ROOM_MANAGER', { actor_user_id: userId });
  }
}

function userOf({ userId }: ReadAsker): UserId {
  if (userId === null) throw refused('INVALID_FIELD', { field: 'asker', fault: 'missing' });
  return userId;
}
