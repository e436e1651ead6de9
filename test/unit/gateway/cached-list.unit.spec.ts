/** Lists come from the copy where it can answer, else from MySQL, and look the same (LIST-2). */
import { describe, expect, it } from 'vitest';
import type { AppCode } from '../../../src/domain/ids.ts';
import { createCachedList } from '../../../src/gateway/cached-list.ts';
import { createListRooms } from '../../../src/gateway/list-rooms.ts';
import { keyOf, projectionRig } from '../projections/projection-rig.ts';
import { ListProjector } from '../../../src/projections/list-projector.ts';
import { frame } from './gateway-fakes.ts';

const request = {
  appCode: 'app1',
  visibleRegionId: null,
  mode: '',
  tag: '',
  cursor: '',
  pageSize: 2,
} as const;

async function openRig() {
  const rig = projectionRig();
  const { cache, drivers, metrics } = rig;
  for (const room of ['a', 'b', 'c', 'd', 'e']) rig.commit(room, { tags: ['t'], mode: 'free' });
  rig.commit('e', { heat: 6n });
  const roomQueries = drivers.roomQueries;
  const list = createListRooms(createCachedList({ roomQueries, roomListCache: cache, metrics }));
  const ofMysql = createListRooms(roomQueries);
  const pages = (from: string): number => metrics.sumOf('gateway_list_pages_total', { from });
  const caller = { appCode: 'app1' as AppCode, subject: 'u1', role: 'user' } as const;
  const ask = (change: Partial<Parameters<typeof list>[1]> = {}, where = list) =>
    rig.ended(where(frame({ caller }), { ...request, ...change }));
  return { ...rig, list, ofMysql, ask, pages };
}

describe('a list', () => {
  it('comes from MySQL until the copy is ready, then from the copy, and is the same (LIST-2, CFG-13, SVC-22)', async () => {
    const { ask, makeReady, pages } = await openRig();
    const fromMysql = await ask();
    expect(pages('not_ready')).toBe(1);
    await makeReady();
    expect(await ask()).toEqual(fromMysql);
    expect(pages('cache')).toBe(1);
  });

  it('begun in the copy goes on in MySQL and back, without a gap or a double (LIST-1)', async () => {
    const { ask, makeReady, server, pages } = await openRig();
    await makeReady();
    const first = await ask();
    server.empty();
    const second = await ask({ cursor: first.nextCursor });
    await makeReady();
    const third = await ask({ cursor: second.nextCursor });
    const rooms = [first, second, third].flatMap(({ entries }) => entries.map((e) => e.roomId));
    expect(rooms).toEqual(['e', 'a', 'b', 'c', 'd']);
    expect([pages('cache'), pages('not_ready')]).toEqual([2, 1]);
  });

  it.each(['down', 'frozen'] as const)(
    'comes from MySQL while Redis is %s (LIST-2)',
    async (kind) => {
      const { ask, makeReady, server, ofMysql, pages, time } = await openRig();
      await makeReady();
      server.setMode({ kind });
      const startedMs = time.monoMs();
      expect(await ask()).toEqual(await ask({}, ofMysql));
      expect(time.monoMs() - startedMs).toBeLessThanOrEqual(50);
      expect(pages('unreachable')).toBe(1);
    },
  );

  it('by a tag comes from MySQL', async () => {
    const { ask, makeReady, pages } = await openRig();
    await makeReady();
    expect((await ask({ tag: 't' })).entries).toHaveLength(2);
    expect(pages('tag')).toBe(1);
  });

  it('by region and mode comes from the copy', async () => {
    const { ask, makeReady, pages, commit, ports, time } = await openRig();
    commit('x', { visibleRegionId: 7n, mode: 'apply' });
    await makeReady();
    const asked = { visibleRegionId: 7n, mode: 'apply' };
    expect((await ask(asked)).entries.map(({ roomId }) => roomId)).toEqual(['x']);
    commit('x', { status: 'closed' });
    new ListProjector(ports, { copyIntervalMs: 1_000, waitingMax: 10 }).changed([keyOf('x')]);
    await time.advance(0);
    expect((await ask(asked)).entries).toEqual([]);
    expect(pages('cache')).toBe(2);
  });

  it('without a copy comes from MySQL, and nothing is counted (NEW-11, CFG-13)', async () => {
    const { drivers, metrics, pages } = await openRig();
    const roomQueries = drivers.roomQueries;
    expect(createCachedList({ roomQueries, roomListCache: null, metrics })).toBe(roomQueries);
    expect(pages('cache')).toBe(0);
  });
});
