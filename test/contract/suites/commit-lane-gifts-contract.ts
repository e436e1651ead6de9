/**
 * What every CommitLane must do with the rows that gifts add: voids, statistics and heat are there
 * with the rest of the batch or not at all, and are added up exactly.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, RoomId, UserId } from '../../../src/domain/ids.ts';
import type {
  CommitLane,
  GiftStatRow,
  LaneBatch,
  RoomDayRow,
  UserWeekRow,
} from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomQueries } from '../../../src/ports/room-queries.ts';
import type { SettlementStore } from '../../../src/ports/settlement-store.ts';
import {
  asVersion,
  commandBatch,
  fenceOf,
  freshRoomId,
  giftStatOf,
  keyOf,
  open,
  roomDayOf,
  roomRowOf,
  roomWeekOf,
  settlementOf,
  userWeekOf,
  takenBy,
} from '../../support/lane-batches.ts';

/** A user's sums in a room as they are stored. */
export type StoredGiftStats = Omit<GiftStatRow, 'appCode' | 'roomId' | 'userId'> & {
  readonly userId: string;
};

/** What was given in a room in a week; `userId` is null in the row of the whole room. */
export type StoredWeek = Omit<UserWeekRow, 'appCode' | 'roomId' | 'userId'> & {
  readonly userId: string | null;
};

/** A database with what shows the rows of gifts. */
export interface CommitLaneGiftsFixture {
  readonly store: PartitionStore;
  readonly settlements: SettlementStore;
  readonly queries: RoomQueries;
  openLane(incarnation: string): CommitLane;
  /** Puts a listed room on top, as an operator does. */
  pin(appCode: AppCode, roomId: RoomId): Promise<void>;
  /** Of one room, by user id. */
  statsOf(roomId: RoomId): Promise<readonly StoredGiftStats[]>;
  /** Of one room: the whole room's rows by week, then those of its senders by week and user id. */
  weeksOf(roomId: RoomId): Promise<readonly StoredWeek[]>;
  /** Of one room, by day. */
  daysOf(roomId: RoomId): Promise<readonly Omit<RoomDayRow, 'appCode' | 'roomId'>[]>;
  close(): Promise<void>;
}

/** 2^53 + 1: the first whole number that a double does not hold. */
const big = 9_007_199_254_740_993n;
const int64Max = 2n ** 63n - 1n;
const bob = 'bob' as UserId;

/** Declares the suite. */
export function commitLaneGiftsContract(
  name: string,
  makeFixture: () => Promise<CommitLaneGiftsFixture>,
): void {
  describe(`CommitLane contract, gifts: ${name}`, () => {
    let fixture: CommitLaneGiftsFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let partition = 0;

    const take = (incarnation = 'one'): Promise<TakenPartition> =>
      takenBy(fixture.store, incarnation, partition);
    /** A command with a gift's rows beside its own. */
    const giftBatch = (
      room: { readonly roomId: RoomId; readonly version: bigint },
      rows: Partial<LaneBatch>,
      commitSeq = 0n,
    ): LaneBatch => ({ ...commandBatch(taken, 'one', room, { commitSeq }), ...rows });
    const commit = async (batch: LaneBatch): Promise<void> => {
      expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
    };
    const openKeys = async (): Promise<string[]> =>
      (await fixture.settlements.due([partition], 9_000_000, 100)).map((row) => row.debitKey);

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });
    beforeEach(async () => {
      partition += 1;
      taken = await take();
    });

    it('stores voids and statistics with the command they belong to', async () => {
      const roomId = freshRoomId();
      const settlement = settlementOf(partition);
      const giftStats = [
        giftStatOf(roomId),
        giftStatOf(roomId, {
          userId: bob,
          sentCoins: 0n,
          sentCount: 0n,
          receivedCoins: 10n,
          receivedCount: 1n,
        }),
      ];
      await commit(giftBatch({ roomId, version: 1n }, { settlements: [settlement], giftStats }));
      expect(await openKeys()).toEqual([settlement.debitKey]);
      expect(await fixture.statsOf(roomId)).toEqual(
        giftStats.map(({ appCode: _app, roomId: _room, ...stats }) => stats),
      );
    });

    describe('leaves no void, no sum and no heat behind', () => {
      const failures: readonly [string, (batch: LaneBatch) => Promise<unknown>, string][] = [
        ['when the gate says no', (batch) => lane.commit(batch, Promise.resolve(false)), 'stopped'],
        [
          'of an epoch that is over',
          async (batch) => {
            await take('successor');
            return lane.commit(batch, open());
          },
          'fenced',
        ],
        [
          'beside a room that is not what memory holds',
          (batch) =>
            lane.commit({ ...batch, roomRows: [roomRowOf(taken, freshRoomId(), 7n)] }, open()),
          'staleRooms',
        ],
        [
          'beside a checked version that differs',
          (batch) => {
            const check = { roomKey: keyOf(freshRoomId()), version: asVersion(3n) };
            return lane.commit({ ...batch, versionChecks: [check] }, open());
          },
          'staleRooms',
        ],
        [
          'beside a command id that has a row',
          async (batch) => {
            const none = { settlements: [], giftStats: [] };
            const noPeriods = { roomDays: [], roomWeeks: [], userWeeks: [] };
            await commit({ ...batch, ...none, ...noPeriods, roomRows: [] });
            const fences = [fenceOf(taken, 'one', { commitSeq: 1n })];
            return lane.commit({ ...batch, fences, eventRows: [] }, open());
          },
          'duplicateCommand',
        ],
        [
          'beside data that the database refuses',
          (batch) => {
            const [room] = batch.roomRows.map((row) => ({ ...row, title: 'x'.repeat(129) }));
            return lane.commit({ ...batch, roomRows: room === undefined ? [] : [room] }, open());
          },
          'dataError',
        ],
      ];

      it.each(failures)('%s', async (_when, fail, kind) => {
        const appCode = `atomic-${partition}` as AppCode;
        const roomId = freshRoomId();
        const batch = giftBatch(
          { roomId, version: 1n },
          {
            settlements: [settlementOf(partition)],
            giftStats: [giftStatOf(roomId)],
            roomDays: [roomDayOf(roomId)],
            roomWeeks: [roomWeekOf(roomId)],
            userWeeks: [userWeekOf(roomId)],
            roomRows: [roomRowOf(taken, roomId, 1n, { appCode, heat: 10n })],
          },
        );
        expect(await fail(batch)).toMatchObject({ kind });
        expect(await openKeys()).toEqual([]);
        expect(await fixture.statsOf(roomId)).toEqual([]);
        expect(await fixture.daysOf(roomId)).toEqual([]);
        expect(await fixture.weeksOf(roomId)).toEqual([]);
        expect(await listed(fixture.queries, appCode)).toEqual([]);
      });

      it('when one sum does not fit 64 bits, and the rooms beside it can be committed', async () => {
        const [full, other] = [freshRoomId(), freshRoomId()];
        const top = giftStatOf(full, { sentCoins: int64Max - 9n });
        await commit(giftBatch({ roomId: full, version: 1n }, { giftStats: [top] }));
        const settlement = settlementOf(partition);
        const rows = { settlements: [settlement], giftStats: [giftStatOf(other)] };
        const sums = [giftStatOf(other), giftStatOf(full)];
        const both = giftBatch({ roomId: other, version: 1n }, { ...rows, giftStats: sums }, 1n);
        expect(await lane.commit(both, open())).toMatchObject({ kind: 'dataError' });
        expect(await openKeys()).toEqual([]);
        expect(await fixture.statsOf(other)).toEqual([]);
        await commit(giftBatch({ roomId: other, version: 1n }, rows, 1n));
        expect(await fixture.statsOf(full)).toMatchObject([{ sentCoins: int64Max - 9n }]);
        expect(await fixture.statsOf(other)).toMatchObject([{ sentCoins: 10n }]);
        expect(await openKeys()).toEqual([settlement.debitKey]);
      });
    });

    it('adds up over batches, each column and each user for itself, exact above 2^53', async () => {
      const roomId = freshRoomId();
      const rows = [
        { sentCoins: big, sentCount: 1n, receivedCoins: 2n, receivedCount: 3n },
        { sentCoins: 2n, sentCount: big, receivedCoins: big + 2n, receivedCount: 0n },
        { sentCoins: 1n, sentCount: 1n, receivedCoins: 0n, receivedCount: big },
      ];
      for (const [index, fields] of rows.entries()) {
        const giftStats = [
          giftStatOf(roomId, { ...fields, updatedAtMs: 1_000 + index }),
          ...(index === 1 ? [giftStatOf(roomId, { userId: bob, updatedAtMs: 1_001 })] : []),
        ];
        const version = BigInt(index + 1);
        await commit(giftBatch({ roomId, version }, { giftStats }, version - 1n));
      }
      expect(await fixture.statsOf(roomId)).toEqual([
        {
          userId: 'alice',
          sentCoins: big + 3n,
          sentCount: big + 2n,
          receivedCoins: big + 4n,
          receivedCount: big + 3n,
          updatedAtMs: 1_002,
        },
        {
          userId: 'bob',
          sentCoins: 10n,
          sentCount: 1n,
          receivedCoins: 0n,
          receivedCount: 0n,
          updatedAtMs: 1_001,
        },
      ]);
    });

    it('keeps the sums of one user apart by room', async () => {
      const [one, other] = [freshRoomId(), freshRoomId()];
      const giftStats = [giftStatOf(one), giftStatOf(other, { sentCoins: 7n })];
      await commit(giftBatch({ roomId: one, version: 1n }, { giftStats }));
      expect(await fixture.statsOf(one)).toMatchObject([{ sentCoins: 10n }]);
      expect(await fixture.statsOf(other)).toMatchObject([{ sentCoins: 7n }]);
    });

    it('adds up what was given week by week, each week and each sender for itself (RES-33, RES-35, TST-20)', async () => {
      const roomId = freshRoomId();
      const other = freshRoomId();
      const [sunday, monday] = ['2026-W48', '2026-W49'] as const;
      await commit(
        giftBatch(
          { roomId, version: 1n },
          {
            roomWeeks: [
              roomWeekOf(roomId, { isoWeek: sunday, coins: big, updatedAtMs: 1 }),
              roomWeekOf(roomId, { isoWeek: monday, coins: 2n, updatedAtMs: 2 }),
              roomWeekOf(other, { isoWeek: monday, coins: 7n, updatedAtMs: 2 }),
            ],
            userWeeks: [
              userWeekOf(roomId, { isoWeek: sunday, coins: big, updatedAtMs: 1 }),
              userWeekOf(roomId, { isoWeek: monday, userId: bob, coins: 2n, updatedAtMs: 2 }),
            ],
          },
        ),
      );
      const next = { isoWeek: monday, coins: 3n, giftCount: 2n, updatedAtMs: 3 };
      await commit(
        giftBatch(
          { roomId, version: 2n },
          { roomWeeks: [roomWeekOf(roomId, next)], userWeeks: [userWeekOf(roomId, next)] },
          1n,
        ),
      );
      const row = (userId: string | null, isoWeek: string, coins: bigint, rest: bigint[]) => {
        const [giftCount = 0n, updatedAtMs = 0n] = rest;
        return { userId, isoWeek, coins, giftCount, updatedAtMs: Number(updatedAtMs) };
      };
      expect(await fixture.weeksOf(roomId)).toEqual([
        row(null, sunday, big, [1n, 1n]),
        row(null, monday, 5n, [3n, 3n]),
        row('alice', sunday, big, [1n, 1n]),
        row('alice', monday, 3n, [2n, 3n]),
        row('bob', monday, 2n, [1n, 2n]),
      ]);
      expect(await fixture.weeksOf(other)).toEqual([row(null, monday, 7n, [1n, 2n])]);
    });

    it.each(['roomWeeks', 'userWeeks'] as const)(
      'refuses a sum of %s that does not fit 64 bits, and stores nothing of the batch',
      async (table) => {
        const roomId = freshRoomId();
        const rowsOf = (coins: bigint): Partial<LaneBatch> =>
          table === 'roomWeeks'
            ? { roomWeeks: [roomWeekOf(roomId, { coins })] }
            : { userWeeks: [userWeekOf(roomId, { coins })] };
        await commit(giftBatch({ roomId, version: 1n }, rowsOf(int64Max - 9n)));
        const above = giftBatch({ roomId, version: 2n }, rowsOf(10n), 1n);
        expect(await lane.commit(above, open())).toMatchObject({ kind: 'dataError' });
        expect(await fixture.weeksOf(roomId)).toMatchObject([{ coins: int64Max - 9n }]);
      },
    );

    it('keeps the first row of a debit key, in one batch and over batches', async () => {
      const roomId = freshRoomId();
      const first = settlementOf(partition, { reason: 'GIFT_NOT_CHARGED' });
      const late = { ...first, reason: 'ROOM_CLOSED', createdAtMs: 5_000 };
      const fresh = settlementOf(partition, { createdAtMs: 6_000 });
      await commit(giftBatch({ roomId, version: 1n }, { settlements: [first, late] }));
      await commit(giftBatch({ roomId, version: 2n }, { settlements: [late, fresh] }, 1n));
      const rows = await fixture.settlements.due([partition], 9_000_000, 10);
      expect(rows.map((row) => [row.debitKey, row.reason, row.createdAtMs])).toEqual([
        [first.debitKey, first.reason, first.createdAtMs],
        [fresh.debitKey, fresh.reason, fresh.createdAtMs],
      ]);
    });

    it('lists pinned rooms first, then by the power of two of their heat, then by room id', async () => {
      const appCode = `heat-${partition}` as AppCode;
      // Within a bucket the ids run against the heat, across buckets against the order: an edge that
      // is off by one shows.
      const heats: readonly (readonly [string, bigint])[] = [
        ['d-pinned', 0n],
        ['m-largest', int64Max],
        ['n-at-2^62', 2n ** 62n],
        ['a-below-2^62', 2n ** 62n - 1n],
        ['o-above-2^53', big],
        ['p-at-2^53', 2n ** 53n],
        ['b-below-2^53', 2n ** 53n - 1n],
        ['q-three', 3n],
        ['r-two', 2n],
        ['c-one', 1n],
        ['e-none', 0n],
      ];
      const roomRows = heats.map(([roomId, heat]) =>
        roomRowOf(taken, roomId as RoomId, 1n, { appCode, heat }),
      );
      await commit(giftBatch({ roomId: freshRoomId(), version: 1n }, { roomRows }));
      await fixture.pin(appCode, 'd-pinned' as RoomId);
      expect(await listed(fixture.queries, appCode)).toEqual(heats);
    });

    it('moves a room by its next heat and leaves its pin alone', async () => {
      const appCode = `moves-${partition}` as AppCode;
      const [a, b, c] = ['a', 'b', 'c'].map((roomId) => roomId as RoomId) as [
        RoomId,
        RoomId,
        RoomId,
      ];
      const rowsOf = (version: bigint, heats: readonly [RoomId, bigint][]) =>
        heats.map(([roomId, heat]) => roomRowOf(taken, roomId, version, { appCode, heat }));
      const start = rowsOf(1n, [
        [a, 4n],
        [b, 5n],
        [c, 0n],
      ]);
      const room = freshRoomId();
      await commit(giftBatch({ roomId: room, version: 1n }, { roomRows: start }));
      await fixture.pin(appCode, c);
      const next = rowsOf(2n, [
        [b, 8n],
        [c, 2n],
      ]);
      await commit(giftBatch({ roomId: room, version: 2n }, { roomRows: next }, 1n));
      expect(await listed(fixture.queries, appCode)).toEqual([
        ['c', 2n],
        ['b', 8n],
        ['a', 4n],
      ]);
    });

    it.each([int64Max + 1n, -1n])('refuses a heat of %s as data', async (heat) => {
      const roomId = freshRoomId();
      const roomRows = [roomRowOf(taken, roomId, 1n, { heat })];
      const outcome = await lane.commit(giftBatch({ roomId, version: 1n }, { roomRows }), open());
      expect(outcome).toMatchObject({ kind: 'dataError' });
    });
  });
}

async function listed(
  queries: RoomQueries,
  appCode: AppCode,
): Promise<readonly (readonly [string, bigint])[]> {
  const { entries } = await queries.listRooms({
    appCode,
    visibleRegionId: null,
    mode: null,
    tag: null,
    after: null,
    pageSize: 50,
  });
  return entries.map((entry) => [entry.roomId, entry.heat]);
}
