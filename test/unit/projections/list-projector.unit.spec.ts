/** Changed rooms get into the copy of the list behind their commits, and never in their way. */
import { describe, expect, it, vi } from 'vitest';
import type { ListProjectorOptions } from '../../../src/projections/list-projector.ts';
import { ListProjector } from '../../../src/projections/list-projector.ts';
import { keyOf, projectionRig } from './projection-rig.ts';

async function openRig(options: Partial<ListProjectorOptions> = {}) {
  const rig = projectionRig();
  rig.commit('a');
  rig.commit('b');
  await rig.makeReady();
  const projector = new ListProjector(rig.ports, {
    copyIntervalMs: 1_000,
    waitingMax: 100,
    ...options,
  });
  return { ...rig, projector };
}

describe('a changed room', () => {
  it('is copied at once when nothing was copied just before (LIST-3, PIPE-8)', async () => {
    const { commit, projector, listed, time } = await openRig();
    commit('b', { heat: 9n });
    projector.changed([keyOf('b')]);
    await time.advance(0);
    expect(await listed()).toEqual(['b 9', 'a']);
  });

  it('is copied with the others of an interval, once, as it is then', async () => {
    const { commit, projector, listed, time, drivers } = await openRig();
    const reads = vi.spyOn(drivers.roomQueries, 'roomsById');
    projector.changed([keyOf('a')]);
    await time.advance(0);
    for (let coins = 1n; coins <= 5n; coins += 1n) {
      commit('a', { heat: coins });
      projector.changed([keyOf('a'), keyOf('b')]);
    }
    await time.advance(999);
    expect(await listed()).toEqual(['a', 'b']);
    await time.advance(1);
    expect(await listed()).toEqual(['a 5', 'b']);
    expect(reads.mock.calls.map(([, ids]) => ids)).toEqual([['a'], ['a', 'b']]);
  });

  it('is taken off the list when it closed or is deleted (LIST-3)', async () => {
    const { commit, forget, projector, listed, time } = await openRig();
    commit('a', { status: 'closed' });
    projector.changed([keyOf('a')]);
    await time.advance(0);
    expect(await listed()).toEqual(['b']);
    forget('b');
    projector.changed([keyOf('b')]);
    await time.advance(1_000);
    expect(await listed()).toEqual([]);
  });

  it('keeps its pin, which no commit knows (LIST-4)', async () => {
    const { commit, projector, listed, time } = await openRig();
    commit('b', { pinned: true });
    projector.changed([keyOf('b')]);
    await time.advance(0);
    expect(await listed()).toEqual(['b', 'a']);
  });

  it('waits while Redis does not answer, and is copied when it is back', async () => {
    const { commit, projector, listed, time, server, log } = await openRig();
    server.setMode({ kind: 'down' });
    commit('a', { heat: 7n });
    projector.changed([keyOf('a')]);
    await time.advance(3_500);
    server.setMode({ kind: 'up' });
    expect(await listed()).toEqual(['a', 'b']);
    await time.advance(1_000);
    expect(await listed()).toEqual(['a 7', 'b']);
    expect(log.messages('warn')).toEqual(['changed rooms wait to be listed']);
    expect(log.messages('info')).toEqual(['changed rooms are listed again']);
  });

  it('waits while MySQL is away, and nothing is thrown', async () => {
    const { commit, projector, listed, time, database } = await openRig();
    commit('a', { heat: 7n });
    database.server.faults.push({ port: 'queries', kind: 'refused' });
    projector.changed([keyOf('a')]);
    await time.advance(1_500);
    await time.advance(1_000);
    expect(await listed()).toEqual(['a 7', 'b']);
  });

  it('is copied under a new stamp when a flush came between its stamp and its copy (TST-19)', async () => {
    const { commit, projector, time, server, cache, metrics, makeReady, listed } = await openRig();
    commit('a', { heat: 7n });
    vi.spyOn(cache, 'stamp').mockResolvedValueOnce({ life: 'of before the flush', at: 9 });
    server.empty();
    projector.changed([keyOf('a')]);
    await time.advance(0);
    expect(metrics.sumOf('projection_list_copies_total', { outcome: 'too_late' })).toBe(1);
    await time.advance(1_000);
    expect(metrics.sumOf('projection_list_copies_total', { outcome: 'stored' })).toBe(1);
    await makeReady();
    expect(await listed()).toEqual(['a 7', 'b']);
  });
});

describe('the waiting room', () => {
  it('is full at its limit: the newest is dropped and counted, a known one is not', async () => {
    const { projector, metrics, time, server } = await openRig({ waitingMax: 2 });
    server.setMode({ kind: 'down' });
    projector.changed([keyOf('a'), keyOf('b'), keyOf('c')]);
    await time.advance(0);
    expect(metrics.sumOf('projection_list_copies_total', { outcome: 'dropped' })).toBe(1);
    projector.changed([keyOf('a')]);
    expect(metrics.sumOf('projection_list_copies_total', { outcome: 'dropped' })).toBe(1);
  });

  it('is left as it is by a stop, which waits for what is under way', async () => {
    const { projector, time, cache, commit, listed } = await openRig();
    projector.changed([keyOf('a')]);
    await projector.stop();
    commit('a', { heat: 3n });
    const stamps = vi.spyOn(cache, 'stamp');
    projector.changed([keyOf('a')]);
    await time.advance(10_000);
    expect(stamps).not.toHaveBeenCalled();
    expect(await listed()).toEqual(['a', 'b']);
  });
});
