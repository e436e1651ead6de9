/** What one state of a room answers to a read, and who may know it. */
import { describe, expect, it } from 'vitest';
import { answerQuestion, pageOf } from '../../../src/cell/reads/answer-question.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { evolveCommand } from '../../../src/domain/room/evolve.ts';
import { nextEventPosition } from '../../../src/domain/room/event-position.ts';
import { initialRoomState } from '../../../src/domain/room/initial-state.ts';
import type { OwnerQuestion, ReadAsker } from '../../../src/ports/owner-reads.ts';
import {
  adminSet,
  alice,
  app,
  asUser,
  bob,
  carol,
  created,
  gifted,
  joined,
  kicked,
  micRequested,
  on,
  owner,
  room,
  wentUp,
} from '../../support/room-builders.ts';

const nowMs = 1_000_000;
const service: ReadAsker = { role: 'service', userId: null };
const as = (userId: UserId): ReadAsker => ({ role: 'user', userId });
const page = { afterUserId: '', pageSize: 10 } as const;

function roomAfter(...events: readonly RoomEvent[]) {
  return events.reduce(
    (state, event) => evolveCommand(state, [event], nextEventPosition(state, nowMs)),
    initialRoomState(app, room),
  );
}

const state = roomAfter(
  created(),
  joined(owner),
  joined(alice),
  joined(bob),
  adminSet(alice),
  wentUp(on(2, bob, 1), nowMs + 5),
  kicked(carol),
);
const ask = (question: OwnerQuestion, asker: ReadAsker = service) =>
  answerQuestion(state, { question, asker }, { nowMs, giftRankMax: 20 });
const refusalOf = (question: OwnerQuestion, asker: ReadAsker): unknown => {
  try {
    return ask(question, asker);
  } catch (error) {
    return (error as { reason: string }).reason;
  }
};

describe('an audience', () => {
  it('shows present users by id, with what they are and where they sit', () => {
    const answer = ask({ kind: 'audience', ...page });
    if (answer.kind !== 'audience') throw new Error(answer.kind);
    const shown = answer.users.map(({ user, role, seatNo }) => [user.userId, role, seatNo]);
    expect(shown).toEqual([
      [alice, 'admin', 0],
      [bob, 'member', 2],
      [owner, 'owner', 0],
    ]);
    expect(answer.hasMore).toBe(false);
  });

  it('is for users whom the guard lets in, and for whoever stands above the room', () => {
    const question = { kind: 'audience', ...page } as const;
    expect(ask(question, as(bob))).toMatchObject({ kind: 'audience' });
    expect(ask(question, { role: 'operator', userId: null })).toMatchObject({ kind: 'audience' });
    expect(refusalOf(question, as(carol))).toBe('USER_BANNED');
    expect(refusalOf(question, as(asUser('stranger')))).toBe('USER_NOT_PRESENT');
    expect(refusalOf(question, { role: 'user', userId: null })).toBe('INVALID_FIELD');
  });
});

describe.each([{ kind: 'bans', ...page } as const, { kind: 'micRequests' } as const])(
  'the $kind of a room',
  (question) => {
    it('are for its managers, present or not, and for whoever stands above it', () => {
      for (const asker of [as(owner), as(alice), service]) {
        expect(ask(question, asker)).toMatchObject({ kind: question.kind });
      }
      for (const user of [bob, carol]) {
        expect(refusalOf(question, as(user))).toBe('NOT_ROOM_MANAGER');
      }
    });
  },
);

describe('other answers', () => {
  it('bans stand with their reasons, requests in the order in which they were made', () => {
    expect(ask({ kind: 'bans', ...page })).toMatchObject({ bans: [{ userId: carol }] });
    const waiting = roomAfter(
      created({ mode: 'apply' }),
      joined(bob),
      joined(alice),
      micRequested(bob, nowMs + 5),
      micRequested(alice, nowMs + 5),
    );
    const asked = { question: { kind: 'micRequests' }, asker: service } as const;
    expect(answerQuestion(waiting, asked, { nowMs, giftRankMax: 20 })).toMatchObject({
      requests: [{ userId: bob }, { userId: alice }],
    });
  });

  it('the gift rank has as many places as asked for, and the heat of all gifts (QRY-4)', () => {
    const given = roomAfter(
      ...[created(), joined(alice), joined(bob), joined(carol)],
      ...[gifted(alice, bob, 30n), gifted(bob, alice, 20n), gifted(carol, alice, 10n)],
    );
    const asked = { question: { kind: 'giftRank', places: 2 }, asker: as(carol) } as const;
    expect(answerQuestion(given, asked, { nowMs, giftRankMax: 20 })).toEqual({
      kind: 'giftRank',
      places: [
        { userId: alice, coins: 30n, rank: 1 },
        { userId: bob, coins: 20n, rank: 2 },
      ],
      roomHeat: 60n,
    });
  });

  it('a view is seen through the asker’s eyes', () => {
    expect(ask({ kind: 'view' }, as(bob))).toMatchObject({ view: { me: { seatNo: 2 } } });
    expect(ask({ kind: 'view' })).toMatchObject({ view: { me: null } });
  });

  it('the guard’s yes says who is on a seat, and its no says it of nobody (RTC-3)', () => {
    const guard = (userId: UserId) => ask({ kind: 'guard', userId });
    expect(guard(bob)).toEqual({ kind: 'guard', refusal: null, onSeat: true });
    expect(guard(alice)).toEqual({ kind: 'guard', refusal: null, onSeat: false });
    const closed = { ...state, status: 'closing' as const };
    const facts = { nowMs, giftRankMax: 20 };
    const asked = { question: { kind: 'guard', userId: bob }, asker: service } as const;
    expect(answerQuestion(closed, asked, facts)).toMatchObject({ onSeat: false });
  });

  it('a room that was never created answers the guard alone', () => {
    const absent = initialRoomState(app, room);
    const facts = { nowMs, giftRankMax: 20 };
    const guard = { question: { kind: 'guard', userId: bob }, asker: service } as const;
    expect(answerQuestion(absent, guard, facts)).toEqual({
      kind: 'guard',
      refusal: 'ROOM_NOT_FOUND',
      onSeat: false,
    });
    const view = { question: { kind: 'view' }, asker: service } as const;
    expect(() => answerQuestion(absent, view, facts)).toThrow('no such room');
  });
});

describe('a page', () => {
  const users = Array.from({ length: 250 }, (_, n) => ({
    userId: asUser(`u${String((n * 77) % 250).padStart(3, '0')}`),
  }));
  const sorted = users.map(({ userId }) => userId).sort();

  it.each([1, 3, 7, 100])('of %s leads through all users once, in order', (pageSize) => {
    const seen: UserId[] = [];
    for (let afterUserId: UserId | '' = '', hasMore = true; hasMore;) {
      const part = pageOf(users, { afterUserId, pageSize });
      seen.push(...part.page.map(({ userId }) => userId));
      afterUserId = seen.at(-1) ?? '';
      hasMore = part.hasMore;
    }
    expect(seen).toEqual(sorted);
  });

  it('has no more behind it when it ends with the last user', () => {
    expect(pageOf(users.slice(0, 3), { afterUserId: '', pageSize: 3 }).hasMore).toBe(false);
    expect(pageOf(users.slice(0, 4), { afterUserId: '', pageSize: 3 }).hasMore).toBe(true);
    expect(pageOf([], page)).toEqual({ page: [], hasMore: false });
  });

  it('is never larger than the largest, nor empty for an odd size', () => {
    expect(pageOf(users, { afterUserId: '', pageSize: 5_000 }).page).toHaveLength(100);
    expect(pageOf(users, { afterUserId: '', pageSize: -1 }).page).toHaveLength(1);
  });
});
