/** ISO weeks in UTC, at the edges of weeks and of years (LB-3). */
import { describe, expect, it } from 'vitest';
import { isoWeekOf } from '../../../src/protocol/iso-week.ts';

const dayMs = 24 * 60 * 60 * 1_000;

describe('isoWeekOf', () => {
  it.each([
    ['the last moment of a Sunday', '2026-11-29T23:59:59.999Z', '2026-W48'],
    ['the first moment of a Monday', '2026-11-30T00:00:00.000Z', '2026-W49'],
    ['a year that begins on a Friday', '2021-01-01T00:00:00.000Z', '2020-W53'],
    ['the Monday after it', '2021-01-04T00:00:00.000Z', '2021-W01'],
    ['a year that ends on a Monday', '2024-12-31T12:00:00.000Z', '2025-W01'],
    ['the day before its last Monday', '2024-12-29T23:59:59.999Z', '2024-W52'],
    ['a leap day', '2024-02-29T00:00:00.000Z', '2024-W09'],
    ['a century without a leap day', '2100-03-01T00:00:00.000Z', '2100-W09'],
    ['the first moment of 1970', '1970-01-01T00:00:00.000Z', '1970-W01'],
    ['the first Monday of 1970', '1970-01-05T00:00:00.000Z', '1970-W02'],
  ])('%s: %s lies in %s (LB-3)', (_what, time, week) => {
    expect(isoWeekOf(Date.parse(time))).toBe(week);
  });

  it('changes with every Monday and with no other day, for 130 years, and never repeats', () => {
    const faults: string[] = [];
    let before = isoWeekOf(0);
    for (let atMs = dayMs; atMs < 130 * 366 * dayMs; atMs += dayMs) {
      const day = new Date(atMs);
      const week = isoWeekOf(atMs);
      const isRight = day.getUTCDay() === 1 ? week > before : week === before;
      if (!isRight || isoWeekOf(atMs + dayMs - 1) !== week) faults.push(day.toISOString());
      before = week;
    }
    expect(faults).toEqual([]);
  });
});
