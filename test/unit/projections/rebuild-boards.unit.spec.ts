/** Boards are made anew from MySQL while gifts go on (LB-4). */
import { describe, expect, it } from 'vitest';
import type { RoomId } from '../../../src/domain/ids.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { boardSumsMax } from '../../../src/ports/room-gift-leaderboard.ts';
import { BoardProjector } from '../../../src/projections/board-projector.ts';
import { rebuildBoards } from '../../../src/projections/rebuild-boards.ts';
import { boardPeriodAt } from '../../../src/protocol/board-period.ts';
import { appCode, boardRig } from './board-rig.ts';

const dayMs = 24 * 60 * 60 * 1_000;

function openRig() {
  const rig = boardRig();
  const rebuild = (rebuildId = 'one') =>
    rig.ended(rebuildBoards(rig.ports, { appCode, nowMs: rig.time.wallMs(), rebuildId }));
  return { ...rig, rebuild };
}

describe('a rebuild', () => {
  it('makes the boards of now, of the periods before and of all time what MySQL has (LB-4, TST-19)', async () => {
    const { give, rebuild, shown, time, server } = openRig();
    const now = time.wallMs();
    give('old', 100n, now - 60 * dayMs);
    give('last-week', 7n, now - 7 * dayMs);
    give('yesterday', 5n, now - dayMs);
    give('a', 2n);
    give('a', 1n);
    server.empty();
    const rebuilt = await rebuild();
    expect(rebuilt.map(({ period, rooms }) => [period.kind, rooms])).toMatchObject([
      ['day', 1],
      ['day', 1],
      ['week', expect.any(Number)],
      ['week', expect.any(Number)],
      ['all', 4],
    ]);
    expect(await shown('day')).toEqual(['a 3']);
    expect(await shown('day', now - dayMs)).toEqual(['yesterday 5']);
    expect(await shown('week', now - 7 * dayMs)).toContain('last-week 7');
    expect(await shown('all')).toEqual(['old 100', 'last-week 7', 'yesterday 5', 'a 3']);
  });

  it('takes down what MySQL does not have (LB-4)', async () => {
    const { give, rebuild, shown, leaderboard, time, ended } = openRig();
    give('a', 2n);
    const board = { appCode, period: boardPeriodAt('all', time.wallMs()) };
    const tooHigh = ['a', 'nowhere'].map((roomId) => ({ roomId: roomId as RoomId, coins: 99n }));
    await ended(leaderboard.raise(board, tooHigh, null));
    await rebuild();
    expect(await shown('all')).toEqual(['a 2']);
  });

  it('reads all rooms, page by page', async () => {
    const { give, rebuild, shown } = openRig();
    for (let at = 0; at <= boardSumsMax; at += 1) {
      give(`room-${String(at).padStart(3, '0')}`, BigInt(1_000 - at));
    }
    expect((await rebuild()).at(-1)?.rooms).toBe(boardSumsMax + 1);
    expect((await shown('all')).slice(0, 2)).toEqual(['room-000 1000', 'room-001 999']);
  });

  it('loses no gift that is brought while it goes on (LB-4)', async () => {
    const { give, ports, shown, time, boardSumsRead } = withSlowRead();
    const projector = new BoardProjector(ports, { copyIntervalMs: 10, waitingMax: 100 });
    give('a', 10n);
    const nowMs = time.wallMs();
    const running = rebuildBoards(ports, { appCode, nowMs, rebuildId: 'one' });
    await boardSumsRead(async () => {
      projector.given([give('a', 5n), give('b', 1n)]);
      await time.advance(10);
    });
    await running;
    expect(await shown('all')).toEqual(['a 15', 'b 1']);
    await projector.stop();
  });

  it('ends with a word when Redis does not answer, or when another one has begun', async () => {
    const { give, rebuild, server, leaderboard, ports, time } = openRig();
    give('a', 2n);
    server.setMode({ kind: 'down' });
    await expect(rebuild()).rejects.toMatchObject({ kind: 'retry', reason: 'UNAVAILABLE' });
    server.setMode({ kind: 'up' });
    const overtaken: typeof ports = {
      ...ports,
      leaderboard: Object.assign(Object.create(leaderboard) as typeof leaderboard, {
        addToRebuild: () => Promise.resolve('lost'),
      }),
    };
    await expect(
      rebuildBoards(overtaken, { appCode, nowMs: time.wallMs(), rebuildId: 'one' }),
    ).rejects.toThrow('another rebuild of it has begun');
  });
});

/** A rig whose rebuild stands still behind its first read of all time's sums, once. */
function withSlowRead() {
  const rig = openRig();
  const { boardSums } = rig.ports;
  const read = createDeferred<void>();
  const held = createDeferred<void>();
  const slow: typeof boardSums = Object.assign(Object.create(boardSums) as typeof boardSums, {
    sumsAfter: async (...args: Parameters<typeof boardSums.sumsAfter>) => {
      const sums = await boardSums.sumsAfter(...args);
      if (args[1].kind === 'all' && sums.length > 0) {
        read.resolve();
        await held.promise;
      }
      return sums;
    },
  });
  const boardSumsRead = async (meanwhile: () => Promise<void>): Promise<void> => {
    await read.promise;
    await meanwhile();
    held.resolve();
  };
  return { ...rig, ports: { ...rig.ports, boardSums: slow }, boardSumsRead };
}
