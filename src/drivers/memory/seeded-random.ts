/**
 * Memory twin of chance: every draw follows from a seed, so that a run can be had again. Nothing
 * here is unguessable; it is for simulations and tests.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../kernel/assert.ts';
import type { Random } from '../../ports/random.ts';

const fractionBits = 48;
/** Names of draws are literals of the source; more of them means that one holds a changing text. */
const namesMax = 1_000;

/**
 * Draws from `seed`. Each name (`why`) has a sequence of its own: code that draws once more under
 * one name does not shift what the others get. `onDraw` hears of every draw, in order, for a trace.
 */
export function createSeededRandom(seed: string, onDraw?: (why: string) => void): Random {
  const drawn = new Map<string, number>();
  function bytes(byteCount: number, why: string): Buffer {
    const nth = drawn.get(why) ?? 0;
    assert(nth > 0 || drawn.size < namesMax, 'the names of draws are few', { why });
    drawn.set(why, nth + 1);
    onDraw?.(why);
    const draw = createHash('shake256', { outputLength: Math.max(1, byteCount) });
    return draw.update(`${seed}\0${why}\0${nth}`).digest().subarray(0, byteCount);
  }
  return {
    fraction: (why) =>
      bytes(fractionBits / 8, why).readUIntBE(0, fractionBits / 8) / 2 ** fractionBits,
    hex: (byteCount, why) => bytes(byteCount, why).toString('hex'),
  };
}
