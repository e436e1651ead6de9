/** Full passes make the copy of the list ready, and put right what got lost on the way. */
import { describe, expect, it, vi } from 'vitest';
import type { AppCode } from '../../../src/domain/ids.ts';
import { ListRefresher } from '../../../src/projections/list-refresher.ts';
import { copyRooms } from '../../../src/projections/copy-rooms.ts';
import { appCode, projectionRig } from './projection-rig.ts';

function openRig() {
  const rig = projectionRig();
  const open = (holder: string): ListRefresher =>
    new ListRefresher(rig.ports, { holder, lookIntervalMs: 1_000, passIntervalMs: 30_000 });
  return { ...rig, open, passes: (outcome: string) => passesOf(rig, outcome) };
}

function passesOf({ metrics }: Pick<ReturnType<typeof projectionRig>, 'metrics'>, outcome: string) {
  return metrics.sumOf('projection_list_passes_total', { outcome });
}

describe('a full pass', () => {
  it('makes an empty copy ready with the first look (LIST-2)', async () => {
    const { open, commit, listed, time } = openRig();
    commit('a');
    commit('b', { heat: 5n });
    commit('over', { status: 'closed' });
    expect(await listed()).toBe('not_ready');
    open('one').start();
    await time.advance(0);
    expect(await listed()).toEqual(['b 5', 'a']);
  });

  it('makes a flushed copy anew with the next look, and it answers nothing before (TST-19)', async () => {
    const { open, commit, listed, time, server } = openRig();
    commit('a');
    open('one').start();
    await time.advance(500);
    server.empty();
    expect(await listed()).toBe('not_ready');
    await time.advance(400);
    expect(await listed()).toBe('not_ready');
    await time.advance(1_100);
    expect(await listed()).toEqual(['a']);
  });

  it('puts right what got lost between a commit and its copy (LIST-3, WRK-11)', async () => {
    const { open, commit, forget, listed, time } = openRig();
    for (const room of ['a', 'b', 'c']) commit(room);
    open('one').start();
    await time.advance(0);
    commit('a', { heat: 9n });
    commit('b', { status: 'closed' });
    forget('c');
    commit('d');
    await time.advance(29_000);
    expect(await listed()).toEqual(['a', 'b', 'c']);
    await time.advance(2_000);
    expect(await listed()).toEqual(['a 9', 'd']);
  });

  it('keeps a room that moved up the list while it was walked', async () => {
    const { open, commit, listed, time, drivers } = openRig();
    for (let n = 0; n < 250; n += 1) commit(`room-${String(n).padStart(3, '0')}`);
    const { listRooms } = drivers.roomQueries;
    let pages = 0;
    vi.spyOn(drivers.roomQueries, 'listRooms').mockImplementation(async (query) => {
      // Between the pages, and without a copy of its own: the worst that can be.
      if ((pages += 1) === 2) commit('room-240', { heat: 99n });
      return listRooms.call(drivers.roomQueries, query);
    });
    open('one').start();
    await time.advance(0);
    const rooms = (await listed()) as readonly string[];
    expect(rooms[0]).toBe('room-000');
    expect(pages).toBeGreaterThanOrEqual(2);
    await time.advance(31_000);
    expect(((await listed()) as readonly string[])[0]).toBe('room-240 99');
  });

  it('looks again at rooms that it did not meet before it takes them off', async () => {
    const { open, commit, listed, time, drivers, cache } = openRig();
    commit('a');
    commit('b');
    open('one').start();
    await time.advance(0);
    const { listRooms } = drivers.roomQueries;
    vi.spyOn(drivers.roomQueries, 'listRooms').mockImplementation(async (query) => {
      const page = await listRooms.call(drivers.roomQueries, query);
      return { ...page, entries: page.entries.filter(({ roomId }) => roomId !== 'b') };
    });
    const looked = vi.spyOn(drivers.roomQueries, 'roomsById');
    await time.advance(31_000);
    expect(looked.mock.calls.map(([, ids]) => ids)).toEqual([['b']]);
    expect(await listed()).toEqual(['a', 'b']);
    expect(await cache.isReady(appCode)).toBe(true);
  });

  it('is made for every app with rooms', async () => {
    const { open, commit, cache, time } = openRig();
    commit('a');
    commit('x', { appCode: 'app2' as AppCode });
    open('one').start();
    await time.advance(0);
    expect(await cache.isReady('app2' as AppCode)).toBe(true);
    expect(await cache.isReady(appCode)).toBe(true);
  });

  it('is given up when a flush comes in its midst, and made anew', async () => {
    const { open, commit, listed, time, server, drivers, passes } = openRig();
    commit('a');
    const { listRooms } = drivers.roomQueries;
    vi.spyOn(drivers.roomQueries, 'listRooms').mockImplementationOnce(async (query) => {
      const page = await listRooms.call(drivers.roomQueries, query);
      server.empty();
      return page;
    });
    open('one').start();
    await time.advance(0);
    expect(passes('too_late')).toBe(1);
    expect(await listed()).toBe('not_ready');
    // The claim went with the flush; whoever looks next makes the pass.
    await time.advance(1_000);
    expect(await listed()).toEqual(['a']);
  });

  it('waits for Redis and for MySQL, says so once, and goes on by itself', async () => {
    const { open, commit, listed, time, server, database, log } = openRig();
    commit('a');
    server.setMode({ kind: 'down' });
    open('one').start();
    await time.advance(3_000);
    server.setMode({ kind: 'up' });
    const refused = { port: 'queries', kind: 'refused' } as const;
    database.server.faults.push(refused, refused, refused);
    await time.advance(3_000);
    expect(await listed()).toBe('not_ready');
    await time.advance(1_000);
    expect(await listed()).toEqual(['a']);
    expect(log.messages('warn')).toEqual(['the list cache is not refreshed']);
    expect(log.messages('error')).toEqual([]);
  });
});

describe('of several processes', () => {
  it('one makes the passes, and another one when it falls silent', async () => {
    const { open, commit, time, passes, listed } = openRig();
    commit('a');
    const [one, other] = [open('one'), open('other')];
    one.start();
    await time.advance(0);
    other.start();
    await time.advance(2_000);
    expect(passes('ready')).toBe(1);
    await one.stop();
    // Five looks of silence, and the first look of the other.
    await time.advance(7_000);
    expect(passes('ready')).toBe(2);
    expect(await listed()).toEqual(['a']);
  });

  it('two who pass at once take nothing off and put nothing old back', async () => {
    const { ports, commit, listed, open, time, cache } = openRig();
    commit('a');
    commit('b');
    vi.spyOn(cache, 'claimPasses').mockResolvedValue(true);
    const both = [open('one'), open('other')];
    for (const refresher of both) refresher.start();
    await time.advance(0);
    commit('a', { heat: 4n });
    await copyRooms(ports, appCode, ['a' as never]);
    await time.advance(60_000);
    expect(await listed()).toEqual(['a 4', 'b']);
  });
});
