/** What every RoomListCache must do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { assertDefined } from '../../../src/kernel/assert.ts';
import { copiesMax } from '../../../src/ports/room-list-cache.ts';
import type {
  CachedListQuery,
  CachedPage,
  ListStamp,
  RoomCopy,
  RoomListCache,
} from '../../../src/ports/room-list-cache.ts';
import { listPageSizeMax, roomIdsMax } from '../../../src/ports/room-queries.ts';
import type { ListCursor, ListEntry } from '../../../src/ports/room-queries.ts';

/** The port on two nodes, and what happens to the server. */
export interface RoomListCacheFixture {
  readonly nodeA: RoomListCache;
  readonly nodeB: RoomListCache;
  /** As a flush does. */
  empty(): Promise<void>;
  /** Lets the server's time pass. */
  pass(ms: number): Promise<void>;
  setServer(behaviour: 'up' | 'down' | 'frozen'): Promise<void>;
  close(): Promise<void>;
}

const readyMs = 60_000;

/** Declares the suite. */
export function roomListCacheContract(
  name: string,
  makeFixture: () => Promise<RoomListCacheFixture>,
): void {
  describe(`RoomListCache contract: ${name}`, () => {
    let fixture: RoomListCacheFixture;
    let cache: RoomListCache;
    let appCode: AppCode;
    let apps = 0;

    const stampOf = async (node = cache, app = appCode): Promise<ListStamp> =>
      assertDefined((await node.stamp(app)) ?? undefined, 'a stamp');
    /** Puts rooms under a new stamp. */
    const put = async (...entries: readonly ListEntry[]): Promise<void> => {
      expect(await cache.put(appCode, await stampOf(), entries.map(copyOf))).toBe('stored');
    };
    /** A full pass over a MySQL that has these rooms. */
    const passOver = async (...entries: readonly ListEntry[]): Promise<void> => {
      const begun = await stampOf();
      if (entries.length > 0) await put(...entries);
      expect(await cache.endPass(appCode, begun, readyMs)).toEqual({ kind: 'ready' });
    };
    const queryOf = (fields: Partial<CachedListQuery> = {}): CachedListQuery => ({
      appCode,
      visibleRegionId: null,
      mode: null,
      after: null,
      pageSize: 50,
      ...fields,
    });
    const pageOf = async (
      fields: Partial<CachedListQuery> = {},
      node = cache,
    ): Promise<Extract<CachedPage, { kind: 'page' }>> => {
      const page = await node.page(queryOf(fields));
      expect(page).toMatchObject({ kind: 'page' });
      return page as Extract<CachedPage, { kind: 'page' }>;
    };
    const idsOf = async (fields: Partial<CachedListQuery> = {}, node = cache): Promise<string[]> =>
      (await pageOf(fields, node)).entries.map(({ roomId }) => roomId);

    beforeAll(async () => {
      fixture = await makeFixture();
      cache = fixture.nodeA;
    });
    afterAll(() => fixture.close());
    beforeEach(async () => {
      appCode = `cached-${(apps += 1)}` as AppCode;
      await fixture.setServer('up');
    });

    it('answers no page before a full pass has ended (LIST-2)', async () => {
      expect(await cache.page(queryOf())).toEqual({ kind: 'not_ready' });
      expect(await cache.isReady(appCode)).toBe(false);
      await put(entryOf('a'));
      expect(await cache.page(queryOf())).toEqual({ kind: 'not_ready' });
      await passOver(entryOf('a'));
      expect(await cache.isReady(appCode)).toBe(true);
      expect(await idsOf({}, fixture.nodeB)).toEqual(['a']);
    });

    it('answers an empty page without a cursor when no room is listed', async () => {
      await passOver();
      expect(await cache.page(queryOf())).toEqual({ kind: 'page', entries: [], next: null });
    });

    it('lists pinned rooms first, then hotter buckets, then by room id (LIST-1, LIST-4)', async () => {
      await passOver(
        entryOf('c', { heat: 9n }),
        entryOf('B', { heat: 15n }),
        entryOf('b', { heat: 8n }),
        entryOf('pinned-cold', { pinned: true }),
        entryOf('a', { heat: 3n }),
        entryOf('hottest', { heat: 2n ** 63n - 1n }),
        entryOf('hot', { heat: 1_023n }),
        entryOf('pinned-hot', { pinned: true, heat: 16n }),
      );
      const order = ['pinned-hot', 'pinned-cold', 'hottest', 'hot', 'B', 'b', 'c', 'a'];
      expect(await idsOf()).toEqual(order);
    });

    it('pages without a gap or a double, and cuts the cursor that MySQL would cut', async () => {
      const rooms = Array.from({ length: 25 }, (_, n) =>
        entryOf(`room-${String(n).padStart(2, '0')}`, { heat: BigInt(n % 3), pinned: n > 21 }),
      );
      await passOver(...rooms);
      const all = await idsOf();
      for (const pageSize of [1, 4, 7, 25, 40]) {
        const seen: string[] = [];
        let after: ListCursor | null = null;
        do {
          const { entries, next }: Extract<CachedPage, { kind: 'page' }> = await pageOf({
            pageSize,
            after,
          });
          seen.push(...entries.map(({ roomId }) => roomId));
          after = next;
        } while (after !== null);
        expect(seen).toEqual(all);
      }
      const first = await pageOf({ pageSize: 1 });
      expect(first.next).toEqual({ pinned: true, heatBucket: 1, roomId: 'room-23' });
    });

    it('goes on behind any cursor: of a room that left, or of a bucket that nobody has', async () => {
      await passOver(entryOf('a', { heat: 4n }), entryOf('b', { heat: 4n }), entryOf('c'));
      const behind = (heatBucket: number, roomId: string): Promise<string[]> =>
        idsOf({ after: { pinned: false, heatBucket, roomId: roomId as RoomId } });
      expect(await behind(2, 'aa')).toEqual(['b', 'c']);
      expect(await behind(1_000_000, 'x')).toEqual(['a', 'b', 'c']);
      expect(await behind(-5, 'x')).toEqual([]);
      expect(
        await idsOf({ after: { pinned: true, heatBucket: 0, roomId: 'z' as RoomId } }),
      ).toEqual(['a', 'b', 'c']);
    });

    it('filters by region and mode, together and alone (LIST-1)', async () => {
      await passOver(
        entryOf('r1', { visibleRegionId: 1n, mode: 'free' }),
        entryOf('r2', { visibleRegionId: 2n, mode: 'free' }),
        entryOf('r3', { visibleRegionId: 2n, mode: 'apply' }),
        entryOf('r4', { visibleRegionId: -9_007_199_254_740_993n, mode: 'apply' }),
      );
      expect(await idsOf({ visibleRegionId: 2n })).toEqual(['r2', 'r3']);
      expect(await idsOf({ visibleRegionId: -9_007_199_254_740_993n })).toEqual(['r4']);
      expect(await idsOf({ visibleRegionId: -9_007_199_254_740_992n })).toEqual([]);
      expect(await idsOf({ mode: 'apply' })).toEqual(['r3', 'r4']);
      expect(await idsOf({ mode: 'apply', visibleRegionId: 2n })).toEqual(['r3']);
      expect(await idsOf({ mode: 'appl' })).toEqual([]);
    });

    it('answers entries as they were put, exact above 2^53', async () => {
      const entry = entryOf('big', {
        title: 'Nächte | {"a"}\n音乐',
        tags: ['a"b', '', '|'],
        heat: 9_007_199_254_740_993n,
        visibleRegionId: 9_007_199_254_740_995n,
        locked: true,
        onlineCount: 7,
        createdAtMs: 1_700_000_000_123,
      });
      await passOver(entry);
      expect((await pageOf()).entries).toEqual([entry]);
    });

    it('keeps apps apart', async () => {
      await passOver(entryOf('mine'));
      const other = `${appCode}-other` as AppCode;
      const begun = await stampOf(cache, other);
      await cache.put(other, begun, [copyOf(entryOf('theirs'))]);
      await cache.endPass(other, begun, readyMs);
      expect(await idsOf()).toEqual(['mine']);
      expect(await idsOf({ appCode: other })).toEqual(['theirs']);
    });

    it('follows a room through heat, pin, region and mode, and lets it go when it ends (LIST-3)', async () => {
      await passOver(entryOf('a'), entryOf('m', { heat: 2n, visibleRegionId: 1n, mode: 'free' }));
      await put(entryOf('a', { heat: 4n, visibleRegionId: 3n, mode: 'apply', pinned: true }));
      expect(await idsOf()).toEqual(['a', 'm']);
      expect(await idsOf({ visibleRegionId: 3n, mode: 'apply' })).toEqual(['a']);
      expect(await idsOf({ visibleRegionId: 86n })).toEqual([]);
      await put(entryOf('a', { status: 'closing' }));
      expect(await idsOf()).toEqual(['m']);
      expect(await cache.put(appCode, await stampOf(), [{ roomId: id('m'), entry: null }])).toBe(
        'stored',
      );
      expect(await idsOf()).toEqual([]);
    });

    it('keeps the newer copy when a writer that read earlier writes later', async () => {
      await passOver(entryOf('a', { title: 'first' }));
      const early = await stampOf(fixture.nodeB);
      await put(entryOf('a', { title: 'newer', heat: 8n }));
      const late = await fixture.nodeB.put(appCode, early, [
        copyOf(entryOf('a', { title: 'older' })),
        copyOf(entryOf('b')),
      ]);
      expect(late).toBe('stored');
      const { entries } = await pageOf();
      expect(entries.map(({ roomId, title }) => [roomId, title])).toEqual([
        ['a', 'newer'],
        ['b', 'A room'],
      ]);
    });

    it('does not list a room again that ended, for a writer that read it before', async () => {
      await passOver(entryOf('a'));
      const early = await stampOf(fixture.nodeB);
      await cache.put(appCode, await stampOf(), [{ roomId: id('a'), entry: null }]);
      await fixture.nodeB.put(appCode, early, [copyOf(entryOf('a'))]);
      expect(await idsOf()).toEqual([]);
      // A pass that knows nothing of it forgets even that it ended, and keeps such writers out.
      await passOver();
      expect(await fixture.nodeB.put(appCode, early, [copyOf(entryOf('a'))])).toBe('too_late');
      expect(await idsOf()).toEqual([]);
    });

    it('names the rooms that a pass left behind, and is not ready before they are looked at', async () => {
      await put(...['gone', 'still-here', 'met'].map((room) => entryOf(room)));
      const begun = await stampOf();
      await put(entryOf('met'));
      const first = await cache.endPass(appCode, begun, readyMs);
      expect(first.kind === 'left_behind' ? [...first.roomIds].sort() : first).toEqual([
        'gone',
        'still-here',
      ]);
      expect(await cache.page(queryOf())).toEqual({ kind: 'not_ready' });
      const looked = [{ roomId: id('gone'), entry: null }, copyOf(entryOf('still-here'))];
      await cache.put(appCode, await stampOf(), looked);
      expect(await cache.endPass(appCode, begun, readyMs)).toEqual({ kind: 'ready' });
      expect(await idsOf()).toEqual(['met', 'still-here']);
    });

    it('names at most as many rooms left behind as one look-up takes', async () => {
      const rooms = Array.from({ length: roomIdsMax + 1 }, (_, n) => entryOf(`left-${n}`));
      await put(...rooms);
      const end = await cache.endPass(appCode, await stampOf(), readyMs);
      expect(end.kind === 'left_behind' ? end.roomIds : end).toHaveLength(roomIdsMax);
    });

    it('forgets more ended rooms in one pass than it would name', async () => {
      const gone = Array.from({ length: copiesMax }, (_, n) => id(`gone-${n}`));
      const copies = gone.map((roomId) => ({ roomId, entry: null }));
      await cache.put(appCode, await stampOf(), copies);
      await passOver(entryOf('a'));
      expect(await idsOf()).toEqual(['a']);
    });

    it('is emptied and answers no page until the next pass; stamps of before are too late (TST-19)', async () => {
      const before = await stampOf();
      await passOver(entryOf('a'));
      await fixture.empty();
      expect(await cache.page(queryOf())).toEqual({ kind: 'not_ready' });
      // Between the flush and the next stamp, and behind it.
      expect(await cache.put(appCode, before, [copyOf(entryOf('old'))])).toBe('too_late');
      const fresh = await stampOf();
      expect(fresh.life).not.toBe(before.life);
      expect(await cache.put(appCode, before, [copyOf(entryOf('old'))])).toBe('too_late');
      expect(await cache.endPass(appCode, before, readyMs)).toEqual({ kind: 'too_late' });
      expect(await cache.page(queryOf())).toEqual({ kind: 'not_ready' });
      await passOver(entryOf('b'));
      expect(await idsOf()).toEqual(['b']);
    });

    it('answers pages only as long as the pass said', async () => {
      const begun = await stampOf();
      await put(entryOf('a'));
      await cache.endPass(appCode, begun, 300);
      expect(await idsOf()).toEqual(['a']);
      await fixture.pass(400);
      expect(await cache.page(queryOf())).toEqual({ kind: 'not_ready' });
    });

    it('cuts a page to the largest size, and answers at least one room', async () => {
      const rooms = Array.from({ length: listPageSizeMax + 1 }, (_, n) => entryOf(`room-${n}`));
      const begun = await stampOf();
      await put(...rooms.slice(0, copiesMax));
      await put(...rooms.slice(copiesMax));
      await cache.endPass(appCode, begun, readyMs);
      expect(await idsOf({ pageSize: 1_000 })).toHaveLength(listPageSizeMax);
      expect(await idsOf({ pageSize: 0 })).toHaveLength(1);
    });

    it('lets one holder make the passes until it ends', async () => {
      const { nodeA, nodeB } = fixture;
      expect(await nodeA.claimPasses('a', 300)).toBe(true);
      expect(await nodeB.claimPasses('b', 300)).toBe(false);
      expect(await nodeA.claimPasses('a', 300)).toBe(true);
      await fixture.pass(400);
      expect(await nodeB.claimPasses('b', 300)).toBe(true);
      await fixture.pass(400);
    });

    it.each(['down', 'frozen'] as const)(
      'says that a server that is %s cannot be reached, and throws nothing (LIST-2)',
      async (behaviour) => {
        await passOver(entryOf('a'));
        const stamp = await stampOf();
        await fixture.setServer(behaviour);
        const calls = Promise.all([
          cache.page(queryOf()),
          cache.stamp(appCode),
          cache.put(appCode, stamp, [copyOf(entryOf('b'))]),
          cache.endPass(appCode, stamp, readyMs),
          cache.isReady(appCode),
          cache.claimPasses('a', 300),
        ]);
        // Longer than any budget.
        await fixture.pass(1_100);
        const gone = expect.objectContaining({ kind: 'unreachable' });
        expect(await calls).toEqual([gone, null, 'unreachable', gone, null, false]);
      },
    );
  });
}

function id(room: string): RoomId {
  return room as RoomId;
}

function copyOf(entry: ListEntry): RoomCopy {
  return { roomId: entry.roomId, entry };
}

/** An active room without heat. */
function entryOf(room: string, fields: Partial<ListEntry> = {}): ListEntry {
  return {
    roomId: id(room),
    status: 'active',
    title: 'A room',
    coverUrl: '',
    ownerUserId: 'owner',
    mode: 'free',
    visibleRegionId: 86n,
    locked: false,
    tags: [],
    onlineCount: 0,
    seatCount: 8,
    pinned: false,
    heat: 0n,
    createdAtMs: 1_000,
    ...fields,
  };
}
