/** What every RoomGiftLeaderboard must do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import type { BoardSum } from '../../../src/ports/board-sums.ts';
import { boardPlacesMax, boardSumsMax } from '../../../src/ports/room-gift-leaderboard.ts';
import type { Board, RoomGiftLeaderboard } from '../../../src/ports/room-gift-leaderboard.ts';

/** The port on two nodes, and what happens to the server. */
export interface RoomGiftLeaderboardFixture {
  readonly nodeA: RoomGiftLeaderboard;
  readonly nodeB: RoomGiftLeaderboard;
  /** As a flush does. */
  empty(): Promise<void>;
  /** Lets the server's time pass. */
  pass(ms: number): Promise<void>;
  setServer(behaviour: 'up' | 'down' | 'frozen'): Promise<void>;
  close(): Promise<void>;
}

const int64Max = 2n ** 63n - 1n;

/** Declares the suite. */
export function roomGiftLeaderboardContract(
  name: string,
  makeFixture: () => Promise<RoomGiftLeaderboardFixture>,
): void {
  describe(`RoomGiftLeaderboard contract: ${name}`, () => {
    let fixture: RoomGiftLeaderboardFixture;
    let boards: RoomGiftLeaderboard;
    let board: Board;
    let apps = 0;

    const sum = (roomId: string, coins: bigint): BoardSum => ({ roomId: roomId as RoomId, coins });
    const raise = async (sums: readonly BoardSum[], on = board): Promise<void> => {
      expect(await boards.raise(on, sums, null)).toBe('stored');
    };
    const shown = async (on = board, pageSize = 100, after: BoardSum | null = null) => {
      const page = await fixture.nodeB.page({ ...on, after, pageSize });
      if (page.kind !== 'page') throw new Error(page.cause);
      return page.places.map(({ rank, roomId, coins }) => `${rank} ${roomId} ${coins}`);
    };

    beforeAll(async () => {
      fixture = await makeFixture();
      boards = fixture.nodeA;
    });
    afterAll(() => fixture.close());
    beforeEach(async () => {
      apps += 1;
      board = { appCode: `app-${apps}` as AppCode, period: { kind: 'all', name: 'all' } };
      await fixture.setServer('up');
    });

    it('ranks by coins and ties by room id, on every node (LB-1)', async () => {
      await raise([sum('b', 5n), sum('a', 5n), sum('B', 5n)]);
      await raise([sum('top', 6n), sum('low', 1n)]);
      expect(await shown()).toEqual(['1 top 6', '2 B 5', '3 a 5', '4 b 5', '5 low 1']);
    });

    it('tells sums apart that are one to a double, up to the largest that a column holds', async () => {
      const edge = 2n ** 53n;
      await raise([sum('x', edge), sum('y', edge + 1n), sum('max', int64Max), sum('w', 1n)]);
      await raise([sum('near', int64Max - 1n)]);
      expect(await shown()).toEqual([
        `1 max ${int64Max}`,
        `2 near ${int64Max - 1n}`,
        `3 y ${edge + 1n}`,
        `4 x ${edge}`,
        '5 w 1',
      ]);
    });

    it('keeps the larger sum when a writer that read earlier writes later (LB-1)', async () => {
      await raise([sum('a', 15n)]);
      expect(await fixture.nodeB.raise(board, [sum('a', 10n)], null)).toBe('stored');
      expect(await shown()).toEqual(['1 a 15']);
    });

    it('counts nothing twice that is written twice (LB-1)', async () => {
      for (let time = 0; time < 3; time += 1) await raise([sum('a', 7n), sum('b', 9n)]);
      expect(await shown()).toEqual(['1 b 9', '2 a 7']);
    });

    it('keeps apps and periods apart (TST-15)', async () => {
      const other: Board = { ...board, appCode: `${board.appCode}-other` as AppCode };
      const day: Board = { ...board, period: { kind: 'day', name: '2026-11-30' } };
      await raise([sum('a', 1n)]);
      await raise([sum('a', 2n)], other);
      await raise([sum('a', 3n)], day);
      expect([await shown(), await shown(other), await shown(day)]).toEqual([
        ['1 a 1'],
        ['1 a 2'],
        ['1 a 3'],
      ]);
    });

    it('is an empty page where nothing was given, and after a flush', async () => {
      expect(await shown()).toEqual([]);
      await raise([sum('a', 1n)]);
      await fixture.empty();
      expect(await shown()).toEqual([]);
      await raise([sum('a', 1n)]);
      expect(await shown()).toEqual(['1 a 1']);
    });

    it('pages without a gap or a double, also behind a room that has moved on', async () => {
      await raise(
        Array.from({ length: 25 }, (_, at) => sum(`room-${at}`, BigInt(100 - (at >> 1)))),
      );
      const all = await shown();
      const paged: string[] = [];
      let after: BoardSum | null = null;
      for (;;) {
        const page = await boards.page({ ...board, after, pageSize: 7 });
        if (page.kind !== 'page' || page.places.length === 0) break;
        paged.push(...page.places.map((place) => `${place.rank} ${place.roomId} ${place.coins}`));
        after = page.places.at(-1) ?? null;
      }
      expect(paged).toEqual(all);
      await raise([sum('room-4', 500n)]);
      expect(await shown(board, 1, sum('room-4', 98n))).toEqual(['6 room-5 98']);
    });

    it(`keeps the first ${boardPlacesMax} rooms, and one that was cut off comes back with its whole sum`, async () => {
      const rooms = Array.from({ length: boardPlacesMax }, (_, at) => sum(`r${at}`, 10n));
      for (let at = 0; at < rooms.length; at += boardSumsMax) {
        await raise(rooms.slice(at, at + boardSumsMax));
      }
      await raise([sum('z-late', 10n), sum('low', 9n)]);
      await raise([sum('high', 11n)]);
      expect(await shown(board, 2)).toEqual(['1 high 11', '2 r0 10']);
      // Ties by room id: the last of them made room for the new one.
      expect(await shown(board, 5, sum('r997', 10n))).toEqual([`${boardPlacesMax} r998 10`]);
      await raise([sum('z-late', 12n)]);
      expect(await shown(board, 1)).toEqual(['1 z-late 12']);
    });

    it('is gone when its time behind the last write is over, and not before', async () => {
      const day: Board = { ...board, period: { kind: 'day', name: '2026-11-30' } };
      expect(await boards.raise(day, [sum('a', 1n)], 60_000)).toBe('stored');
      expect(await shown(day)).toEqual(['1 a 1']);
      expect(await boards.raise(day, [sum('b', 1n)], 150)).toBe('stored');
      await fixture.pass(400);
      expect(await shown(day)).toEqual([]);
      await raise([sum('a', 1n)]);
      await fixture.pass(400);
      expect(await shown()).toEqual(['1 a 1']);
    });

    describe('a rebuild (LB-4)', () => {
      const stored = async (outcome: Promise<string>): Promise<void> => {
        expect(await outcome).toBe('stored');
      };

      it('shows the old board until it ends, and then MySQL’s, lower or higher', async () => {
        await raise([sum('too-high', 50n), sum('too-low', 1n), sum('nowhere', 9n)]);
        await stored(boards.beginRebuild(board, 'one'));
        await stored(boards.addToRebuild(board, 'one', [sum('too-high', 5n)]));
        await stored(boards.addToRebuild(board, 'one', [sum('too-low', 30n), sum('new', 2n)]));
        expect(await shown()).toEqual(['1 too-high 50', '2 nowhere 9', '3 too-low 1']);
        await stored(boards.endRebuild(board, 'one', null));
        expect(await shown()).toEqual(['1 too-low 30', '2 too-high 5', '3 new 2']);
      });

      it('loses nothing that was raised while it went on, before or behind its own read', async () => {
        await stored(boards.beginRebuild(board, 'one'));
        await raise([sum('early', 15n)]);
        await stored(boards.addToRebuild(board, 'one', [sum('early', 10n), sum('late', 10n)]));
        await raise([sum('late', 12n), sum('unread', 1n)]);
        await stored(boards.endRebuild(board, 'one', null));
        expect(await shown()).toEqual(['1 early 15', '2 late 12', '3 unread 1']);
      });

      it('of nothing leaves an empty board', async () => {
        await raise([sum('a', 1n)]);
        await stored(boards.beginRebuild(board, 'one'));
        await stored(boards.endRebuild(board, 'one', null));
        expect(await shown()).toEqual([]);
      });

      it('gives way to another one, and to a flush', async () => {
        await stored(boards.beginRebuild(board, 'one'));
        await stored(boards.addToRebuild(board, 'one', [sum('of-one', 1n)]));
        await stored(fixture.nodeB.beginRebuild(board, 'two'));
        expect(await boards.addToRebuild(board, 'one', [sum('of-one', 1n)])).toBe('lost');
        expect(await boards.endRebuild(board, 'one', null)).toBe('lost');
        await stored(fixture.nodeB.addToRebuild(board, 'two', [sum('of-two', 2n)]));
        await stored(fixture.nodeB.endRebuild(board, 'two', null));
        expect(await shown()).toEqual(['1 of-two 2']);
        await stored(boards.beginRebuild(board, 'three'));
        await fixture.empty();
        expect(await boards.endRebuild(board, 'three', null)).toBe('lost');
      });

      it('leaves a board whose time is over by the rebuild’s own word', async () => {
        await stored(boards.beginRebuild(board, 'one'));
        await stored(boards.addToRebuild(board, 'one', [sum('a', 1n)]));
        await stored(boards.endRebuild(board, 'one', 150));
        expect(await shown()).toEqual(['1 a 1']);
        await fixture.pass(400);
        expect(await shown()).toEqual([]);
      });
    });

    it.each(['down', 'frozen'] as const)(
      'every call ends unreachable while the server is %s, and nothing is thrown (LB-1)',
      async (behaviour) => {
        await fixture.setServer(behaviour);
        const calls = Promise.all([
          boards.page({ ...board, after: null, pageSize: 1 }),
          boards.raise(board, [sum('a', 1n)], null),
          boards.beginRebuild(board, 'one'),
          boards.addToRebuild(board, 'one', [sum('a', 1n)]),
          boards.endRebuild(board, 'one', null),
        ]);
        // Longer than any budget.
        await fixture.pass(1_500);
        const [page, ...writes] = await calls;
        expect(page).toMatchObject({ kind: 'unreachable' });
        expect(new Set(writes)).toEqual(new Set(['unreachable']));
      },
    );
  });
}
