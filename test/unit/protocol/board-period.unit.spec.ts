/** Periods of boards: their names, their bounds, and what comes before them (LB-3, TST-20). */
import { describe, expect, it } from 'vitest';
import {
  boardPeriodAt,
  boardPeriodBefore,
  isBoardPeriodName,
} from '../../../src/protocol/board-period.ts';

const monday = Date.parse('2026-11-30T00:00:00.000Z');
const dayMs = 24 * 60 * 60 * 1_000;

describe('the period of a time', () => {
  it('changes at midnight, and the week on Monday, in UTC (LB-3, TST-20)', () => {
    const names = (atMs: number) => [
      boardPeriodAt('day', atMs).name,
      boardPeriodAt('week', atMs).name,
      boardPeriodAt('all', atMs).name,
    ];
    expect(names(monday - 1)).toEqual(['2026-11-29', '2026-W48', 'all']);
    expect(names(monday)).toEqual(['2026-11-30', '2026-W49', 'all']);
    expect(names(monday + dayMs)).toEqual(['2026-12-01', '2026-W49', 'all']);
  });

  it('has bounds whose first and last moment lie in it, and no other, for three years', () => {
    for (const kind of ['day', 'week'] as const) {
      for (let atMs = monday; atMs < monday + 1_100 * dayMs; atMs += dayMs / 2) {
        const { name, beginsAtMs, endsAtMs } = boardPeriodAt(kind, atMs);
        const nameAt = (ms: number): string => boardPeriodAt(kind, ms).name;
        const [begin, end] = [beginsAtMs ?? NaN, endsAtMs ?? NaN];
        expect([nameAt(begin), nameAt(end - 1)]).toEqual([name, name]);
        expect(nameAt(begin - 1) < name && name < nameAt(end)).toBe(true);
      }
    }
  });

  it('comes behind another one, and all time behind none', () => {
    const before = (kind: 'day' | 'week' | 'all') => boardPeriodBefore(boardPeriodAt(kind, monday));
    expect(before('day')?.name).toBe('2026-11-29');
    expect(before('week')?.name).toBe('2026-W48');
    expect(before('all')).toBeNull();
  });

  it('has a name that tells its kind', () => {
    expect(isBoardPeriodName('day', '2026-11-30')).toBe(true);
    expect(isBoardPeriodName('week', '2026-11-30')).toBe(false);
    expect(isBoardPeriodName('week', '2026-W49')).toBe(true);
    expect(isBoardPeriodName('all', 'all')).toBe(true);
    expect(isBoardPeriodName('day', '2026-11-30}')).toBe(false);
  });
});
