/** Days in UTC as texts, at the edges of days, months and years (LB-3). */
import { describe, expect, it } from 'vitest';
import { utcDateOf } from '../../../src/protocol/utc-date.ts';

const dayMs = 24 * 60 * 60 * 1_000;

describe('utcDateOf', () => {
  it.each([
    ['the last moment of a day', '2026-11-30T23:59:59.999Z', '2026-11-30'],
    ['the first moment of the next', '2026-12-01T00:00:00.000Z', '2026-12-01'],
    ['a leap day', '2024-02-29T12:00:00.000Z', '2024-02-29'],
    ['the day behind it', '2024-03-01T00:00:00.000Z', '2024-03-01'],
    ['a century without a leap day', '2100-03-01T00:00:00.000Z', '2100-03-01'],
    ['the first moment of 1970', '1970-01-01T00:00:00.000Z', '1970-01-01'],
  ])('%s: %s lies on %s (LB-3)', (_what, time, date) => {
    expect(utcDateOf(Date.parse(time))).toBe(date);
  });

  it('is what the calendar says on every day of 130 years, from its first moment to its last', () => {
    const faults: string[] = [];
    for (let atMs = 0; atMs < 130 * 366 * dayMs; atMs += dayMs) {
      const date = new Date(atMs).toISOString().slice(0, 10);
      if (utcDateOf(atMs) !== date || utcDateOf(atMs + dayMs - 1) !== date) faults.push(date);
    }
    expect(faults).toEqual([]);
  });
});
