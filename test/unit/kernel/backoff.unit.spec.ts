/** The pause between tries. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, plainBackoffMs } from '../../../src/kernel/backoff.ts';

const defaults = { initialMs: 5_000, maxMs: 300_000 };

describe('the pause after a failure', () => {
  it('without jitter it is 5, 10, 20, 40, 80, 160 and then 300 seconds (RETRY-7, OCFG-6, OCFG-8, OCFG-9)', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => plainBackoffMs(defaults, n) / 1_000);
    expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('with jitter it never leaves the bounds, nor a fifth around the plain pause (RETRY-7)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (initialMs, above, failures, fraction) => {
          const limits = { initialMs, maxMs: initialMs + above };
          const ms = backoffMs(limits, failures, fraction);
          expect(Number.isSafeInteger(ms)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(limits.initialMs);
          expect(ms).toBeLessThanOrEqual(limits.maxMs);
          const plain = plainBackoffMs(limits, failures);
          expect(Math.abs(ms - plain)).toBeLessThanOrEqual(plain * 0.2 + 1);
        },
      ),
    );
  });

  it('spreads first tries and capped ones too, instead of heaping them on a bound', () => {
    const fractions = Array.from({ length: 300 }, (_, at) => at / 300);
    for (const failures of [1, 9]) {
      const values = fractions.map((fraction) => backoffMs(defaults, failures, fraction));
      expect(new Set(values).size).toBeGreaterThan(200);
    }
  });
});
