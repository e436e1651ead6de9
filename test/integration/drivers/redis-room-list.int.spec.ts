/** What a real Redis can do to the copy of the room list beyond the contract: lose a part of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { createRedisRoomListCache } from '../../../src/drivers/redis/redis-room-list-cache.ts';
import { createSystemRandom } from '../../../src/drivers/system/system-random.ts';
import type { RoomListCache } from '../../../src/ports/room-list-cache.ts';
import type { ListEntry } from '../../../src/ports/room-queries.ts';
import { driverDeps } from '../../support/driver-deps.ts';
import { openRedisSpace, type RedisSpace } from '../../support/redis-space.ts';
import { waitUntil } from '../../support/wait-until.ts';

let space: RedisSpace;
let cache: RoomListCache;
let appCode: AppCode;
let apps = 0;

beforeAll(async () => {
  space = openRedisSpace();
  cache = createRedisRoomListCache(
    { redis: { url: space.url, keyPrefix: space.keyPrefix }, readBudgetMs: 1_000 },
    { ...driverDeps(), random: createSystemRandom() },
  );
  await waitUntil('connected', async () => (await cache.isReady('x' as AppCode)) !== null);
});
afterAll(async () => {
  await cache.stop();
  await space.close();
});
beforeEach(() => {
  appCode = `damaged-${(apps += 1)}` as AppCode;
});

const query = () => ({ appCode, visibleRegionId: null, mode: null, after: null, pageSize: 10 });

async function passOver(...rooms: readonly string[]): Promise<void> {
  const begun = await cache.stamp(appCode);
  if (begun === null) throw new Error('no stamp');
  const copies = rooms.map((room) => ({ roomId: room as RoomId, entry: entryOf(room) }));
  expect(await cache.put(appCode, begun, copies)).toBe('stored');
  expect(await cache.endPass(appCode, begun, 60_000)).toEqual({ kind: 'ready' });
}

describe('a copy of the list', () => {
  it.each(['facts', 'ready', 'order', 'entries'])(
    'that lost its %s answers no page, and after the next pass the right one',
    async (part) => {
      await passOver('a', 'b');
      expect(await space.observer.unlink(keyOf(part))).toBe(1);
      expect(['damaged', 'not_ready']).toContain((await cache.page(query())).kind);
      // Also when a room is put before the pass: what is left of the old must not look whole.
      const stamp = await cache.stamp(appCode);
      if (stamp !== null) {
        await cache.put(appCode, stamp, [{ roomId: 'b' as RoomId, entry: entryOf('b') }]);
      }
      expect((await cache.page(query())).kind).not.toBe('page');
      await passOver('a', 'b');
      expect(await cache.page(query())).toMatchObject({
        kind: 'page',
        entries: [{ roomId: 'a' }, { roomId: 'b' }],
      });
    },
  );

  it('that lost one entry is forgotten whole', async () => {
    await passOver('a', 'b');
    await space.observer.hdel(keyOf('entries'), 'a');
    expect(await cache.page(query())).toEqual({ kind: 'damaged' });
    expect(await space.observer.keys(`${space.keyPrefix}room:list:{${appCode}}:*`)).toEqual([]);
  });

  it('with an entry that this release cannot read answers no page', async () => {
    await passOver('a', 'b');
    await space.observer.hset(keyOf('entries'), 'a', '1|free|199a\n{"roomId":"a"}');
    expect(await cache.page(query())).toEqual({ kind: 'damaged' });
    await passOver('a', 'b');
    expect(await cache.page(query())).toMatchObject({ kind: 'page' });
  });

  it('keeps all keys of an app in one hash slot, and its list has no end but its readiness', async () => {
    await passOver('a');
    const keys = await space.observer.keys(`${space.keyPrefix}room:list:{${appCode}}:*`);
    const slots = keys.map((key) => slotOf(key));
    expect(keys).toHaveLength(5);
    expect(new Set(slots).size).toBe(1);
    expect(await space.observer.pttl(keyOf('ready'))).toBeGreaterThan(0);
  });
});

function keyOf(part: string): string {
  return `${space.keyPrefix}room:list:{${appCode}}:${part}`;
}

/** By the rule of Redis Cluster: what stands in the first braces, if anything, is the slot's name. */
function slotOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

function entryOf(room: string): ListEntry {
  return {
    roomId: room as RoomId,
    status: 'active',
    title: room,
    coverUrl: '',
    ownerUserId: 'owner',
    mode: 'free',
    visibleRegionId: 1n,
    locked: false,
    tags: [],
    onlineCount: 0,
    seatCount: 8,
    pinned: false,
    heat: 0n,
    createdAtMs: 1,
  };
}
