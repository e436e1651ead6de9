/** What every RoomQueries must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppCode, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { CommitLane, RoomMetaRow } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore } from '../../../src/ports/partition-store.ts';
import { listPageSizeMax, roomIdsMax } from '../../../src/ports/room-queries.ts';
import type { ListCursor, ListQuery, RoomQueries } from '../../../src/ports/room-queries.ts';
import { emptyBatch, fenceOf, freshRoomId, open, roomRowOf } from '../../support/lane-batches.ts';

/** A room as the list shows it. */
export interface ListedRoom {
  readonly appCode: AppCode;
  readonly roomId: string;
  readonly status?: 'active' | 'closing' | 'closed';
  readonly ownerUserId?: UserId;
  readonly pinned?: boolean;
  readonly heat?: bigint;
  readonly heatBucket?: number;
  readonly mode?: string;
  readonly visibleRegionId?: bigint;
  readonly tags?: readonly string[];
}

/** A ban by the platform. */
export interface PlatformBan {
  readonly appCode: AppCode;
  readonly userId: UserId;
  /** 0: until it is lifted. */
  readonly expiresAtMs: number;
}

/** A user who is in a room. */
export interface PresentIn {
  readonly appCode: AppCode;
  readonly userId: UserId;
  readonly roomId: string;
  readonly joinedAtMs: number;
}

/** The port and ways to put rooms into the list and users under a ban. */
export interface RoomQueriesFixture {
  readonly queries: RoomQueries;
  readonly store: PartitionStore;
  openLane(incarnation: string): CommitLane;
  /** Puts entries into the list as they would lie there, whatever made them. */
  list(rooms: readonly ListedRoom[]): Promise<void>;
  /** Puts a user under a ban as it would lie there, whatever made it. */
  ban(ban: PlatformBan): Promise<void>;
  /** Puts users into rooms as their rows would lie there, whatever made them. */
  enter(users: readonly PresentIn[]): Promise<void>;
  close(): Promise<void>;
}

/** Declares the suite. */
export function roomQueriesContract(
  name: string,
  makeFixture: () => Promise<RoomQueriesFixture>,
): void {
  describe(`RoomQueries contract: ${name}`, () => {
    let fixture: RoomQueriesFixture;
    let apps = 0;
    const freshApp = (): AppCode => `list-${(apps += 1)}` as AppCode;
    const queryOf = (appCode: AppCode, fields: Partial<ListQuery> = {}): ListQuery => ({
      appCode,
      visibleRegionId: null,
      mode: null,
      tag: null,
      after: null,
      pageSize: 50,
      ...fields,
    });
    const idsOf = async (query: ListQuery): Promise<readonly string[]> =>
      (await fixture.queries.listRooms(query)).entries.map((entry) => entry.roomId);
    /** Walks the whole list page by page. */
    const walk = async (query: ListQuery): Promise<readonly string[]> => {
      const seen: string[] = [];
      let after: ListCursor | null = null;
      do {
        const page = await fixture.queries.listRooms({ ...query, after });
        seen.push(...page.entries.map((entry) => entry.roomId));
        after = page.next;
      } while (after !== null);
      return seen;
    };

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    it('lists pinned rooms first, then hotter buckets, then by room id (LIST-1, QRY-1)', async () => {
      const appCode = freshApp();
      await fixture.list([
        { appCode, roomId: 'c', heatBucket: 3 },
        { appCode, roomId: 'b', heatBucket: 3 },
        { appCode, roomId: 'pinned-cold', pinned: true },
        { appCode, roomId: 'a', heatBucket: 1 },
        { appCode, roomId: 'hot', heatBucket: 9 },
        { appCode, roomId: 'pinned-hot', pinned: true, heatBucket: 4 },
      ]);
      const order = ['pinned-hot', 'pinned-cold', 'hot', 'b', 'c', 'a'];
      expect(await idsOf(queryOf(appCode))).toEqual(order);
    });

    it('pages through rooms of equal heat without a gap or a double (LIST-1)', async () => {
      const appCode = freshApp();
      const rooms = Array.from({ length: 25 }, (_, index) => ({
        appCode,
        roomId: `room-${String(index).padStart(2, '0')}`,
        pinned: index >= 22,
        heatBucket: index >= 22 ? index % 2 : 5,
      }));
      await fixture.list(rooms);
      for (const pageSize of [1, 4, 7, 25, 40]) {
        const seen = await walk(queryOf(appCode, { pageSize }));
        expect(seen).toEqual(await idsOf(queryOf(appCode)));
        expect(new Set(seen).size).toBe(25);
      }
    });

    it('goes on behind the cursor when the room of the cursor has left the list', async () => {
      const appCode = freshApp();
      await fixture.list(['a', 'b', 'c'].map((roomId) => ({ appCode, roomId, heatBucket: 2 })));
      const first = await fixture.queries.listRooms(queryOf(appCode, { pageSize: 2 }));
      await fixture.list([{ appCode, roomId: 'b', heatBucket: 2, status: 'closed' }]);
      expect(await idsOf(queryOf(appCode, { after: first.next }))).toEqual(['c']);
    });

    it('answers no cursor on an empty page', async () => {
      const page = await fixture.queries.listRooms(queryOf(freshApp()));
      expect(page).toEqual({ entries: [], next: null });
    });

    it('lists active rooms of the app only', async () => {
      const appCode = freshApp();
      await fixture.list([
        { appCode, roomId: 'here' },
        { appCode, roomId: 'over', status: 'closed' },
        { appCode: freshApp(), roomId: 'elsewhere' },
      ]);
      expect(await idsOf(queryOf(appCode))).toEqual(['here']);
    });

    it('filters by region, mode and whole tag, together and alone (LIST-1, META-2)', async () => {
      const appCode = freshApp();
      const quoted = 'a"b\\';
      await fixture.list([
        { appCode, roomId: 'r1', visibleRegionId: 1n, mode: 'free', tags: ['music', 'late'] },
        { appCode, roomId: 'r2', visibleRegionId: 2n, mode: 'free', tags: ['music box'] },
        { appCode, roomId: 'r3', visibleRegionId: 2n, mode: 'apply', tags: ['foo,', 'x', '音乐%'] },
        { appCode, roomId: 'r4', visibleRegionId: 2n, mode: 'apply', tags: [quoted, 'music'] },
      ]);
      expect(await idsOf(queryOf(appCode, { visibleRegionId: 2n }))).toEqual(['r2', 'r3', 'r4']);
      expect(await idsOf(queryOf(appCode, { mode: 'apply' }))).toEqual(['r3', 'r4']);
      expect(await idsOf(queryOf(appCode, { tag: 'music' }))).toEqual(['r1', 'r4']);
      expect(await idsOf(queryOf(appCode, { tag: '音乐%' }))).toEqual(['r3']);
      expect(await idsOf(queryOf(appCode, { tag: quoted }))).toEqual(['r4']);
      for (const tag of [',', '%', '_', '"', 'mus', 'b', '']) {
        expect(await idsOf(queryOf(appCode, { tag }))).toEqual([]);
      }
      const both = queryOf(appCode, { tag: 'music', mode: 'free', visibleRegionId: 1n });
      expect(await idsOf(both)).toEqual(['r1']);
    });

    it('answers entries with exact 64-bit numbers and the tags as they were', async () => {
      const appCode = freshApp();
      await fixture.list([
        {
          appCode,
          roomId: 'big',
          heat: 9_007_199_254_740_993n,
          visibleRegionId: 9_007_199_254_740_995n,
          tags: ['a"b', ''],
        },
      ]);
      const { entries } = await fixture.queries.listRooms(queryOf(appCode));
      expect(entries[0]).toMatchObject({
        heat: 9_007_199_254_740_993n,
        visibleRegionId: 9_007_199_254_740_995n,
        tags: ['a"b', ''],
      });
    });

    it('answers no password facts for an unknown room', async () => {
      expect(await fixture.queries.passwordOf(freshApp(), 'nowhere' as RoomId)).toBeNull();
    });

    it('knows a ban of this app and user, until it ends', async () => {
      const [appCode, userId] = [freshApp(), 'u1' as UserId];
      const endMs = 4_102_444_800_000;
      const isBanned = (nowMs: number, app = appCode, user = userId): Promise<boolean> =>
        fixture.queries.isPlatformBanned(app, user, nowMs);
      expect(await isBanned(0)).toBe(false);
      await fixture.ban({ appCode, userId, expiresAtMs: endMs });
      expect(await isBanned(endMs - 1)).toBe(true);
      expect(await isBanned(endMs)).toBe(false);
      expect(await isBanned(0, freshApp())).toBe(false);
      expect(await isBanned(0, appCode, 'u2' as UserId)).toBe(false);
      // Ids differ by case as well.
      expect(await isBanned(0, appCode, 'U1' as UserId)).toBe(false);
    });

    it('knows a ban without an end for ever', async () => {
      const [appCode, userId] = [freshApp(), 'u1' as UserId];
      await fixture.ban({ appCode, userId, expiresAtMs: 0 });
      for (const nowMs of [0, 4_102_444_800_000]) {
        expect(await fixture.queries.isPlatformBanned(appCode, userId, nowMs)).toBe(true);
      }
    });

    it('answers at most the largest page and at least one entry', async () => {
      const appCode = freshApp();
      await fixture.list(
        Array.from({ length: listPageSizeMax + 1 }, (_, n) => ({ appCode, roomId: `room-${n}` })),
      );
      expect(await idsOf(queryOf(appCode, { pageSize: 1_000 }))).toHaveLength(listPageSizeMax);
      expect(await idsOf(queryOf(appCode, { pageSize: 0 }))).toHaveLength(1);
    });

    it('names each app with rooms once, whatever their status, in the order of the codes', async () => {
      const [one, other] = [freshApp(), freshApp()];
      await fixture.list([
        { appCode: other, roomId: 'a', status: 'closed' },
        { appCode: one, roomId: 'a' },
        { appCode: one, roomId: 'b' },
      ]);
      const apps = await fixture.queries.listedApps();
      expect(apps).toEqual([...new Set(apps)].sort());
      expect(apps.filter((app) => app === one || app === other)).toEqual([one, other].sort());
      expect(apps).not.toContain(freshApp());
    });

    it('answers rooms by their ids, whatever their status, of this app only', async () => {
      const appCode = freshApp();
      await fixture.list([
        { appCode, roomId: 'open', heat: 7n },
        { appCode, roomId: 'over', status: 'closed' },
        { appCode, roomId: 'unasked' },
        { appCode: freshApp(), roomId: 'other' },
      ]);
      const ids = ['over', 'open', 'other', 'Open', 'gone'] as RoomId[];
      const entries = await fixture.queries.roomsById(appCode, ids);
      const found = entries.map(({ roomId, status, heat }) => [roomId, status, heat]).sort();
      expect(found).toEqual([
        ['open', 'active', 7n],
        ['over', 'closed', 0n],
      ]);
      expect(await fixture.queries.roomsById(appCode, [])).toEqual([]);
    });

    it('takes as many ids as it says, and no more', async () => {
      const ids = Array.from({ length: roomIdsMax + 1 }, (_, n) => `r${n}` as RoomId);
      expect(await fixture.queries.roomsById(freshApp(), ids.slice(1))).toEqual([]);
      await expect(fixture.queries.roomsById(freshApp(), ids)).rejects.toThrow('too many rooms');
    });

    it('pages through the open rooms of an owner by room id', async () => {
      const appCode = freshApp();
      const ownerUserId = 'o1' as UserId;
      await fixture.list([
        ...['d', 'a', 'c'].map((roomId) => ({ appCode, roomId, ownerUserId })),
        { appCode, roomId: 'b', ownerUserId, status: 'closing' },
        { appCode, roomId: 'e', ownerUserId, status: 'closed' },
        { appCode, roomId: 'f', ownerUserId: 'O1' as UserId },
        { appCode: freshApp(), roomId: 'g', ownerUserId },
      ]);
      const pageAfter = async (after: string, pageSize: number): Promise<readonly string[]> => {
        const page = { afterRoomId: after as RoomId | '', pageSize };
        const entries = await fixture.queries.roomsByOwner(appCode, ownerUserId, page);
        return entries.map(({ roomId }) => roomId);
      };
      expect(await pageAfter('', 3)).toEqual(['a', 'b', 'c']);
      expect(await pageAfter('c', 3)).toEqual(['d']);
      // The room of the cursor may be gone: only its place counts.
      expect(await pageAfter('bb', 1)).toEqual(['c']);
      expect(await pageAfter('', 0)).toHaveLength(1);
    });

    it('pages through the rooms of a user by room id', async () => {
      const appCode = freshApp();
      const userId = 'u1' as UserId;
      await fixture.enter([
        ...['c', 'a', 'b'].map((roomId, at) => ({ appCode, userId, roomId, joinedAtMs: at + 1 })),
        { appCode, userId: 'U1' as UserId, roomId: 'd', joinedAtMs: 9 },
        { appCode: freshApp(), userId, roomId: 'e', joinedAtMs: 9 },
      ]);
      const first = { afterRoomId: '', pageSize: 2 } as const;
      expect(await fixture.queries.roomsOfUser(appCode, userId, first)).toEqual([
        { roomId: 'a', joinedAtMs: 2 },
        { roomId: 'b', joinedAtMs: 3 },
      ]);
      const next = { afterRoomId: 'b' as RoomId, pageSize: 2 };
      expect(await fixture.queries.roomsOfUser(appCode, userId, next)).toEqual([
        { roomId: 'c', joinedAtMs: 1 },
      ]);
    });

    describe('of a room that was committed', () => {
      let lane: CommitLane;
      let partition = 0;

      beforeAll(() => {
        lane = fixture.openLane('lists');
      });
      afterAll(() => lane.stop());

      /** Commits the row's versions 1, 2 … with these fields. */
      const commitRoom = async (
        versions: readonly Partial<RoomMetaRow>[],
      ): Promise<{ appCode: AppCode; roomId: RoomId }> => {
        const appCode = freshApp();
        const roomId = freshRoomId();
        const identity = {
          nodeId: 'n',
          incarnation: 'lists',
          lane: 0,
          advertiseAddr: '10.0.0.1:1',
        };
        const taken = await fixture.store.takeover({ ...identity, partition: (partition += 1) });
        for (const [at, fields] of versions.entries()) {
          const row = roomRowOf(taken, roomId, BigInt(at + 1), { ...fields, appCode });
          const fences = [fenceOf(taken, 'lists', { commitSeq: BigInt(at) })];
          const outcome = await lane.commit({ ...emptyBatch, fences, roomRows: [row] }, open());
          expect(outcome).toEqual({ kind: 'committed' });
        }
        return { appCode, roomId };
      };

      it('the entry shows what was committed last, and when the room was created', async () => {
        const last = {
          title: 'Late talk',
          mode: 'apply',
          tags: ['late'],
          locked: true,
          onlineCount: 7,
          seatCount: 12,
          createdAtMs: 9_000,
        };
        const { appCode, roomId } = await commitRoom([{ createdAtMs: 1_000 }, last]);
        const { entries } = await fixture.queries.listRooms(queryOf(appCode));
        expect(entries).toEqual([
          {
            ...last,
            roomId,
            status: 'active',
            coverUrl: 'https://cdn.test/cover',
            ownerUserId: 'owner',
            visibleRegionId: 86n,
            pinned: false,
            heat: 0n,
            createdAtMs: 1_000,
          },
        ]);
      });

      it('the entry goes when the room is closed (ROOM-17, LIST-3)', async () => {
        const { appCode } = await commitRoom([{}, { status: 'closed' }]);
        expect(await idsOf(queryOf(appCode))).toEqual([]);
      });

      it('the password facts are the last committed ones (RES-26)', async () => {
        const first = { passwordHash: 'scrypt-1', passwordVersion: 1n };
        const last = { passwordHash: 'scrypt-2', passwordVersion: 9_007_199_254_740_993n };
        const { appCode, roomId } = await commitRoom([first, last]);
        expect(await fixture.queries.passwordOf(appCode, roomId)).toEqual(last);
        expect(await fixture.queries.passwordOf(freshApp(), roomId)).toBeNull();
      });
    });
  });
}
