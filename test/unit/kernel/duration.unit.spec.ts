/** Durations of configuration files: what is read, what is refused and with which words. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/kernel/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['1s', 1_000],
    ['5m', 300_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['1m1s1ms', 61_001],
    ['1.5s', 1_500],
    ['.5s', 500],
    ['2.s', 2_000],
    ['0.1s', 100],
    ['1.001s', 1_001],
    ['0', 0],
    ['0s', 0],
    ['3000us', 3],
    ['3000\u00b5s', 3],
    ['2000000ns', 2],
    [' 5s ', 5_000],
    ['30s1h', 3_630_000],
    ['2562047h47m16.854s', 9_223_372_036_854],
  ])('reads %s as %i ms (OCFG-10)', (text, ms) => {
    expect(parseDuration(text)).toEqual({ kind: 'ok', ms });
  });

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['5', 'has no unit'],
    ['1.5', 'has no unit'],
    ['-5s', 'negative'],
    ['+5s', 'not a duration'],
    ['5 s', 'not a duration'],
    ['5d', 'not a duration'],
    ['5S', 'not a duration'],
    ['s', 'not a duration'],
    ['.s', 'not a duration'],
    ['1.2.3s', 'not a duration'],
    ['1e3s', 'not a duration'],
    ['1h30', 'not a duration'],
    ['500us', 'finer than a millisecond'],
    ['1.0005s', 'finer than a millisecond'],
    ['0.3ns', 'finer than a millisecond'],
    ['2562048h', '292 years'],
    [`${'1'.repeat(70)}s`, 'too long'],
  ])('refuses %j and says why', (text, word) => {
    const parsed = parseDuration(text);
    expect(parsed.kind).toBe('fault');
    expect(parsed).toMatchObject({ fault: expect.stringContaining(word) });
  });

  it('never throws, whatever the text', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0123456789.hmsun\u00b5 -') });
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (text) => {
        expect(['ok', 'fault']).toContain(parseDuration(text).kind);
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [250, '250ms'],
    [1_000, '1s'],
    [5_400_000, '1h30m'],
    [61_001, '1m1s1ms'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('writes what parseDuration reads back to the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toEqual({ kind: 'ok', ms });
      }),
    );
  });
});
