/** What the sums that boards are made of promise (LB-2, LB-4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import type { BoardSums } from '../../../src/ports/board-sums.ts';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore } from '../../../src/ports/partition-store.ts';
import { roomIdsMax } from '../../../src/ports/room-queries.ts';
import type { BoardPeriod } from '../../../src/protocol/board-period.ts';
import {
  commandBatch,
  freshRoomId,
  open,
  roomDayOf,
  roomWeekOf,
  takenBy,
} from '../../support/lane-batches.ts';

/** An empty database with a way to commit. */
export interface BoardSumsFixture {
  readonly sums: BoardSums;
  readonly store: PartitionStore;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

const monday: BoardPeriod = { kind: 'day', name: '2026-11-30' };
const sunday: BoardPeriod = { kind: 'day', name: '2026-11-29' };
const week: BoardPeriod = { kind: 'week', name: '2026-W49' };
const lastWeek: BoardPeriod = { kind: 'week', name: '2026-W48' };
const all: BoardPeriod = { kind: 'all', name: 'all' };
/** 2^53 + 1: the first whole number that a double does not hold. */
const big = 9_007_199_254_740_993n;
const int64Max = 2n ** 63n - 1n;

/** Declares the suite. */
export function boardSumsContract(
  name: string,
  makeFixture: () => Promise<BoardSumsFixture>,
): void {
  describe(`BoardSums contract: ${name}`, () => {
    let fixture: BoardSumsFixture;
    let lane: CommitLane;
    let partition = 0;
    const ids = ['a', 'b', 'c'] as RoomId[];

    /** Commits what was given in rooms of an app on that Sunday and that Monday. */
    const give = async (
      appCode: AppCode,
      rooms: readonly { roomId: RoomId; onSunday?: bigint; onMonday?: bigint }[],
    ): Promise<void> => {
      partition += 1;
      const taken = await takenBy(fixture.store, 'one', partition);
      const day = ({ name: utcDay }: BoardPeriod, coins?: bigint) =>
        coins === undefined ? [] : [{ appCode, utcDay, coins }];
      const inWeek = ({ name: isoWeek }: BoardPeriod, coins?: bigint) =>
        coins === undefined ? [] : [{ appCode, isoWeek, coins }];
      const batch = {
        ...commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n }),
        roomDays: rooms.flatMap(({ roomId, onSunday, onMonday }) =>
          [...day(sunday, onSunday), ...day(monday, onMonday)].map((row) => roomDayOf(roomId, row)),
        ),
        roomWeeks: rooms.flatMap(({ roomId, onSunday, onMonday }) =>
          [...inWeek(lastWeek, onSunday), ...inWeek(week, onMonday)].map((row) =>
            roomWeekOf(roomId, row),
          ),
        ),
      };
      const outcome = await lane.commit(batch, open());
      if (outcome.kind !== 'committed') throw new Error(outcome.kind);
    };
    const app = (name: string): AppCode => `sums-${name}` as AppCode;
    const sorted = async (appCode: AppCode, period: BoardPeriod) =>
      [...(await fixture.sums.sumsOf(appCode, period, ids))]
        .sort((one, other) => (one.roomId < other.roomId ? -1 : 1))
        .map(({ roomId, coins }) => `${roomId} ${coins}`);

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });

    it('a room has what was given in it on the day, in the week and ever, to the last coin', async () => {
      const appCode = app('periods');
      await give(appCode, [
        { roomId: 'a' as RoomId, onSunday: big, onMonday: 2n },
        { roomId: 'b' as RoomId, onMonday: 7n },
      ]);
      await give(appCode, [{ roomId: 'a' as RoomId, onMonday: 3n }]);
      expect(await sorted(appCode, sunday)).toEqual([`a ${big}`]);
      expect(await sorted(appCode, monday)).toEqual(['a 5', 'b 7']);
      expect(await sorted(appCode, lastWeek)).toEqual([`a ${big}`]);
      expect(await sorted(appCode, week)).toEqual(['a 5', 'b 7']);
      expect(await sorted(appCode, all)).toEqual([`a ${big + 5n}`, 'b 7']);
    });

    it('a sum of a day that does not fit 64 bits is refused, and nothing of its batch is stored', async () => {
      const appCode = app('full');
      const roomId = 'a' as RoomId;
      await give(appCode, [{ roomId, onMonday: int64Max - 9n }]);
      await expect(give(appCode, [{ roomId, onMonday: 10n }])).rejects.toThrow('dataError');
      expect(await sorted(appCode, monday)).toEqual([`a ${int64Max - 9n}`]);
      expect(await sorted(appCode, week)).toEqual([`a ${int64Max - 9n}`]);
    });

    it('a room that was given nothing, or that nobody asked for, has no sum', async () => {
      const appCode = app('none');
      await give(appCode, [{ roomId: 'd' as RoomId, onMonday: 1n }]);
      for (const period of [monday, week, all]) expect(await sorted(appCode, period)).toEqual([]);
      expect(await fixture.sums.sumsOf(appCode, all, [])).toEqual([]);
    });

    it('takes as many rooms in one look-up as it says, and no more', async () => {
      const many = Array.from({ length: roomIdsMax + 1 }, (_, at) => `room-${at}` as RoomId);
      expect(await fixture.sums.sumsOf(app('many'), all, many.slice(1))).toEqual([]);
      await expect(async () => fixture.sums.sumsOf(app('many'), all, many)).rejects.toThrow(
        'too many rooms',
      );
    });

    it('all rooms of a period come once, by their ids, page by page (LB-4)', async () => {
      const appCode = app('pages');
      const rooms = ['e', 'A', 'c', 'a', 'b'] as RoomId[];
      await give(
        appCode,
        rooms.map((roomId, at) => ({ roomId, onSunday: 1n, onMonday: BigInt(at + 1) })),
      );
      for (const [period, coins] of [
        [monday, ['2', '4', '5', '3', '1']],
        [week, ['2', '4', '5', '3', '1']],
        [all, ['3', '5', '6', '4', '2']],
      ] as const) {
        const seen: string[] = [];
        let after: RoomId | '' = '';
        for (;;) {
          const page = await fixture.sums.sumsAfter(appCode, period, after, 2);
          const last = page.at(-1);
          if (last === undefined) break;
          seen.push(...page.map((sum) => `${sum.roomId} ${sum.coins}`));
          after = last.roomId;
        }
        const inOrder = ['A', 'a', 'b', 'c', 'e'];
        expect(seen).toEqual(inOrder.map((id, at) => `${id} ${coins[at]}`));
      }
    });

    it('apps are apart, and each that was given anything is named (TST-15)', async () => {
      const [one, other] = [app('one'), app('other')];
      await give(one, [{ roomId: 'a' as RoomId, onMonday: 1n }]);
      await give(other, [{ roomId: 'a' as RoomId, onMonday: 9n }]);
      expect(await sorted(one, all)).toEqual(['a 1']);
      expect(await sorted(other, monday)).toEqual(['a 9']);
      const apps = await fixture.sums.appsWithSums();
      expect(apps.filter((each) => each === one || each === other)).toEqual([one, other]);
      expect([...apps].sort()).toEqual(apps);
    });
  });
}
