/** Boards as callers see them: which period, which page, and what is refused (QRY-4, LB-1, LB-3). */
import { describe, expect, test } from 'vitest';
import type { RoomId } from '../../../src/domain/ids.ts';
import { MemoryMetrics } from '../../../src/drivers/memory/memory-metrics.ts';
import { createGetLeaderboard } from '../../../src/gateway/get-leaderboard.ts';
import type { BoardPage, BoardQuery } from '../../../src/ports/room-gift-leaderboard.ts';
import { appCode, frame } from './gateway-fakes.ts';

const mondayMs = Date.UTC(2026, 10, 30);
const query = { appCode, period: 'day', previous: false, pageSize: 2, cursor: '' };
const place = (rank: number, roomId: string, coins: bigint) => ({
  rank,
  roomId: roomId as RoomId,
  coins,
});

function rig(answer: BoardPage = { kind: 'page', places: [] }) {
  const asked: BoardQuery[] = [];
  const clock = { atMs: mondayMs, wallMs: (): number => clock.atMs };
  const metrics = new MemoryMetrics();
  const page = (board: BoardQuery): Promise<BoardPage> => {
    asked.push(board);
    return Promise.resolve(answer);
  };
  const get = createGetLeaderboard({ roomGiftLeaderboard: { page }, clock, metrics });
  return { get, asked, clock, metrics };
}

describe('GetLeaderboard', () => {
  test.each([
    ['day', false, '2026-11-30'],
    ['day', true, '2026-11-29'],
    ['week', false, '2026-W49'],
    ['week', true, '2026-W48'],
    ['all', false, 'all'],
  ])(
    '%s, previous %s: the board %s on that Monday at 00:00 UTC (LB-3)',
    async (period, previous, name) => {
      const { get, asked } = rig();
      const page = await get(frame(), { ...query, period, previous });
      expect(asked).toMatchObject([{ appCode, period: { kind: period, name }, after: null }]);
      expect(page).toEqual({ places: [], periodName: name, nextCursor: '' });
    },
  );

  test('a full page has a cursor, with which the board goes on, also behind midnight', async () => {
    const places = [place(1, 'a', 2n ** 63n - 1n), place(2, 'b', 2n ** 53n + 1n)];
    const { get, asked, clock, metrics } = rig({ kind: 'page', places });
    const first = await get(frame(), query);
    expect(first).toMatchObject({ places, periodName: '2026-11-30' });
    clock.atMs += 24 * 60 * 60 * 1_000;
    const next = await get(frame(), { ...query, cursor: first.nextCursor });
    expect(next.periodName).toBe('2026-11-30');
    expect(asked.at(-1)).toMatchObject({
      period: { kind: 'day', name: '2026-11-30' },
      after: { roomId: 'b', coins: 2n ** 53n + 1n },
      pageSize: 2,
    });
    expect(metrics.sumOf('gateway_leaderboard_pages_total', { outcome: 'page' })).toBe(2);
  });

  test('a short page is the last one', async () => {
    const { get } = rig({ kind: 'page', places: [place(1, 'a', 1n)] });
    expect((await get(frame(), query)).nextCursor).toBe('');
  });

  test.each([
    ['no period', { period: '' }, 'period'],
    ['a period of another release', { period: 'unknown:9' }, 'period'],
    ['what comes before all time', { period: 'all', previous: true }, 'previous'],
    ['a negative page', { pageSize: -1 }, 'page_size'],
    ['a cursor that is none', { cursor: 'x' }, 'cursor'],
    ['a cursor of another kind of period', { cursor: cursorOf('2026-W49', '1', 'a') }, 'cursor'],
    [
      'a cursor with more coins than there are',
      { cursor: cursorOf('2026-11-30', '9'.repeat(19), 'a') },
      'cursor',
    ],
    ['a cursor with a room that is none', { cursor: cursorOf('2026-11-30', '1', 'a b') }, 'cursor'],
    ['a cursor that is far too long', { cursor: 'e'.repeat(257) }, 'cursor'],
  ])('%s is refused, and nothing is asked', async (_what, fields, field) => {
    const { get, asked } = rig();
    await expect(get(frame(), { ...query, ...fields })).rejects.toMatchObject({
      reason: 'INVALID_FIELD',
      facts: { field },
    });
    expect(asked).toEqual([]);
  });

  test('another app’s boards are not shown (LB-1, TST-15)', async () => {
    const { get, asked } = rig();
    await expect(get(frame(), { ...query, appCode: 'other' })).rejects.toMatchObject({
      reason: 'PERMISSION_DENIED',
    });
    expect(asked).toEqual([]);
  });

  test('a deployment without boards says so (NEW-11)', async () => {
    const clock = { wallMs: () => mondayMs };
    const metrics = new MemoryMetrics();
    const get = createGetLeaderboard({ roomGiftLeaderboard: null, clock, metrics });
    await expect(get(frame(), query)).rejects.toMatchObject({ reason: 'LEADERBOARD_NOT_ENABLED' });
  });

  test('a Redis that does not answer is a refusal that says when to ask again', async () => {
    const { get, metrics } = rig({ kind: 'unreachable', cause: 'no answer within 250 ms' });
    await expect(get(frame(), query)).rejects.toMatchObject({
      kind: 'retry',
      reason: 'UNAVAILABLE',
      facts: { what: 'boards' },
      retryAfterMs: 1_000,
    });
    expect(metrics.sumOf('gateway_leaderboard_pages_total', { outcome: 'unreachable' })).toBe(1);
  });
});

function cursorOf(...parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}
