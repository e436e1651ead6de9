/** Heat buckets are exact where a double's logarithm is not. */
import { describe, expect, it } from 'vitest';
import { heatBucketOf } from '../../../src/protocol/heat-bucket.ts';

describe('heatBucketOf', () => {
  it.each([
    [0n, 0],
    [1n, 0],
    [2n, 1],
    [3n, 1],
    [4n, 2],
    [1_023n, 9],
    [1_024n, 10],
    [2n ** 53n, 53],
    [2n ** 53n + 1n, 53],
    [2n ** 62n - 1n, 61],
    [2n ** 62n, 62],
    [2n ** 63n - 1n, 62],
  ])('puts heat %s into bucket %s', (heat, bucket) => {
    expect(heatBucketOf(heat)).toBe(bucket);
  });

  it('changes at every power of two and nowhere between', () => {
    for (let power = 1n; power <= 62n; power += 1n) {
      const edge = 2n ** power;
      expect(heatBucketOf(edge)).toBe(Number(power));
      expect(heatBucketOf(edge - 1n)).toBe(Number(power) - 1);
      expect(heatBucketOf(edge + edge / 2n)).toBe(Number(power));
    }
  });

  it('refuses a negative heat', () => {
    expect(() => heatBucketOf(-1n)).toThrow(RangeError);
  });
});
