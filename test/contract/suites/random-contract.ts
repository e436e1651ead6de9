/** What every Random must do. */
import { describe, expect, it } from 'vitest';
import type { Random } from '../../../src/ports/random.ts';

const draws = 10_000;
const shares = 10;
/** Far outside of what chance does to 1,000 of 10,000 draws (a standard deviation is 30). */
const shareSlack = 210;

/** Declares the suite. */
export function randomContract(name: string, makeRandom: () => Random): void {
  describe(`Random contract: ${name}`, () => {
    it('draws fractions from 0 to below 1, as many in each tenth', () => {
      const random = makeRandom();
      const counts = new Array<number>(shares).fill(0);
      const outside: number[] = [];
      for (let draw = 0; draw < draws; draw += 1) {
        const fraction = random.fraction('contract');
        if (!(fraction >= 0 && fraction < 1)) outside.push(fraction);
        const share = Math.floor(fraction * shares);
        counts[share] = (counts[share] ?? 0) + 1;
      }
      expect(outside).toEqual([]);
      for (const count of counts) expect(Math.abs(count - draws / shares)).toBeLessThan(shareSlack);
    });

    it('draws so many bytes as lower-case hex', () => {
      const random = makeRandom();
      for (const byteCount of [1, 4, 8, 16, 32, 100]) {
        const text = random.hex(byteCount, 'contract');
        expect(text).toMatch(/^[0-9a-f]+$/);
        expect(text).toHaveLength(byteCount * 2);
      }
    });

    it('draws no token of 16 bytes twice', () => {
      const random = makeRandom();
      const tokens = new Set<string>();
      for (let draw = 0; draw < draws; draw += 1) tokens.add(random.hex(16, 'contract'));
      expect(tokens.size).toBe(draws);
    });

    it('lets every bit of a token be both', () => {
      const random = makeRandom();
      let ever = 0n;
      let always = (1n << 64n) - 1n;
      for (let draw = 0; draw < 200; draw += 1) {
        const bits = BigInt(`0x${random.hex(8, 'contract')}`);
        ever |= bits;
        always &= bits;
      }
      expect(ever).toBe((1n << 64n) - 1n);
      expect(always).toBe(0n);
    });
  });
}
