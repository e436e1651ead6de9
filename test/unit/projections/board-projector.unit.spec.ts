/** What was given gets onto the boards behind the commits, and never in their way (RES-32). */
import { describe, expect, it, vi } from 'vitest';
import {
  BoardProjector,
  type BoardProjectorOptions,
} from '../../../src/projections/board-projector.ts';
import { boardRig } from './board-rig.ts';

const dayMs = 24 * 60 * 60 * 1_000;

function openRig(options: Partial<BoardProjectorOptions> = {}) {
  const rig = boardRig();
  const projector = new BoardProjector(rig.ports, {
    copyIntervalMs: 1_000,
    waitingMax: 100,
    ...options,
  });
  return { ...rig, projector };
}

describe('a gift', () => {
  it('is on the boards of its day, its week and all time at once (LB-1, RES-32, CFG-12, SVC-21)', async () => {
    const { projector, give, shown, time } = openRig();
    projector.given([give('a', 5n)]);
    await time.advance(0);
    for (const kind of ['day', 'week', 'all'] as const) expect(await shown(kind)).toEqual(['a 5']);
  });

  it('counts once however often its room is brought (LB-1)', async () => {
    const { projector, give, shown, time } = openRig();
    const given = give('a', 5n);
    for (let round = 0; round < 3; round += 1) {
      projector.given([given, given]);
      await time.advance(1_000);
    }
    expect(await shown('all')).toEqual(['a 5']);
  });

  it('is brought with the others of an interval, its room once', async () => {
    const { projector, give, shown, time, drivers } = openRig();
    const reads = vi.spyOn(drivers.boardSums, 'sumsOf');
    projector.given([give('a', 1n)]);
    await time.advance(0);
    for (let gift = 0; gift < 5; gift += 1) projector.given([give('a', 1n), give('b', 2n)]);
    await time.advance(999);
    expect(await shown('day')).toEqual(['a 1']);
    await time.advance(1);
    expect(await shown('day')).toEqual(['b 10', 'a 6']);
    expect(reads.mock.calls.map(([, { kind }, ids]) => [kind, ids])).toEqual([
      ...(['day', 'week', 'all'] as const).map((kind) => [kind, ['a']]),
      ...(['day', 'week', 'all'] as const).map((kind) => [kind, ['a', 'b']]),
    ]);
  });

  it('counts in the periods of its own time, however late it is brought (LB-3, TST-20)', async () => {
    const { projector, give, shown, time, server } = openRig();
    const mondayMs = Date.UTC(2026, 10, 30);
    await time.advance(mondayMs - 1 - time.wallMs());
    server.setMode({ kind: 'down' });
    projector.given([give('a', 3n)]);
    await time.advance(1);
    projector.given([give('a', 4n)]);
    await time.advance(2_000);
    server.setMode({ kind: 'up' });
    await time.advance(1_000);
    expect(await shown('day', mondayMs - 1)).toEqual(['a 3']);
    expect(await shown('week', mondayMs - 1)).toEqual(['a 3']);
    expect(await shown('day')).toEqual(['a 4']);
    expect(await shown('week')).toEqual(['a 4']);
    expect(await shown('all')).toEqual(['a 7']);
  });

  it('waits while Redis does not answer, and is brought when it is back (TST-19)', async () => {
    const { projector, give, shown, time, server, log } = openRig();
    server.setMode({ kind: 'down' });
    projector.given([give('a', 5n)]);
    await time.advance(3_500);
    server.setMode({ kind: 'up' });
    expect(await shown('all')).toEqual([]);
    await time.advance(1_000);
    expect(await shown('all')).toEqual(['a 5']);
    expect(log.messages('warn')).toEqual(['what was given waits to be on the boards']);
    expect(log.messages('info')).toEqual(['what was given is on the boards again']);
  });

  it('waits while MySQL is away, and nothing is thrown', async () => {
    const { projector, give, shown, time, database } = openRig();
    database.server.faults.push({ port: 'boardSums', kind: 'refused' });
    projector.given([give('a', 5n)]);
    await time.advance(500);
    expect(await shown('all')).toEqual([]);
    await time.advance(1_000);
    expect(await shown('all')).toEqual(['a 5']);
  });

  it('comes with all that was given before in its room, when a flush took it (TST-19)', async () => {
    const { projector, give, shown, time, server } = openRig();
    projector.given([give('a', 5n)]);
    await time.advance(1_000);
    server.empty();
    expect(await shown('all')).toEqual([]);
    projector.given([give('a', 1n)]);
    await time.advance(1_000);
    expect(await shown('all')).toEqual(['a 6']);
  });

  it('stays on the board of its day through the next one, and then goes (LB-1)', async () => {
    const { projector, give, shown, time } = openRig();
    const firstMs = time.wallMs();
    const nextMidnightMs = (Math.floor(firstMs / dayMs) + 1) * dayMs;
    projector.given([give('a', 5n)]);
    await time.advance(nextMidnightMs + dayMs - 1 - firstMs);
    expect(await shown('day', firstMs)).toEqual(['a 5']);
    await time.advance(dayMs + 2);
    expect(await shown('day', firstMs)).toEqual([]);
    expect(await shown('all')).toEqual(['a 5']);
  });
});

describe('the waiting room', () => {
  it('is full at its limit: the newest is dropped and counted, a known one is not', async () => {
    const { projector, give, metrics, time, server } = openRig({ waitingMax: 2 });
    server.setMode({ kind: 'down' });
    projector.given([give('a', 1n), give('b', 1n), give('c', 1n), give('a', 1n)]);
    expect(metrics.sumOf('projection_board_copies_total', { outcome: 'dropped' })).toBe(1);
    await time.advance(0);
  });

  it('does not hold a stop up when Redis is away, however many rooms wait', async () => {
    const { projector, give, server, metrics, ended } = openRig({ waitingMax: 1_000 });
    server.setMode({ kind: 'down' });
    projector.given(Array.from({ length: 500 }, (_, at) => give(`r${at}`, 1n)));
    await ended(projector.stop());
    expect(
      metrics.sumOf('projection_board_copies_total', { outcome: 'unreachable' }),
    ).toBeLessThanOrEqual(200);
  });

  it('is emptied by a stop, and takes nothing behind it', async () => {
    const { projector, give, shown, time, ended } = openRig();
    projector.given([give('a', 1n)]);
    await time.advance(0);
    projector.given([give('b', 1n)]);
    await ended(projector.stop());
    expect(await shown('all')).toEqual(['a 1', 'b 1']);
    projector.given([give('c', 1n)]);
    await time.advance(10_000);
    expect(await shown('all')).toEqual(['a 1', 'b 1']);
  });
});
