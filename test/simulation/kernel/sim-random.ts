/**
 * Chance of a simulated run: a small generator (sfc32) that follows from a seed and a name, so that
 * each purpose draws from a sequence of its own and a new purpose shifts no other.
 */
import type { Random } from '../../../src/ports/random.ts';

/** See the file header. */
export class SimRandom {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  /** Generators of the same seed and name draw the same. */
  constructor(seed: number, name: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (let at = 0; at < name.length; at += 1) {
      hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    }
    this.a = hash | 0;
    this.b = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
    this.c = Math.floor(seed / 2 ** 32) | 0;
    for (let round = 0; round < 12; round += 1) this.bits();
  }

  /** Uniform in [0, 1). */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of the items; there must be one. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** A name of the table, each as likely as its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }

  private bits(): number {
    const sum = (this.a + this.b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    this.c |= 0;
    return sum >>> 0;
  }
}

const wordBytes = 4;

/** The port over a generator; the names of the draws count for nothing. */
export function randomPort(random: SimRandom): Random {
  return {
    fraction: () => random.fraction(),
    hex(byteCount) {
      let text = '';
      for (let left = byteCount; left > 0; left -= wordBytes) {
        text += Math.floor(random.fraction() * 2 ** 32)
          .toString(16)
          .padStart(2 * wordBytes, '0');
      }
      return text.slice(0, 2 * byteCount);
    },
  };
}
