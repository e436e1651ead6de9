/**
 * Which heat bucket of the room list a room lies in (decision 32). Rooms of one bucket are listed by
 * id, so that a page stays put while gifts come in: a room moves only when its heat doubles or halves.
 * Stored in rows and in cursors: the function is a wire format.
 */

/**
 * floor(log2(heat)), and 0 for 0. Exact for every size: counted in bits, because the logarithm of a
 * double takes 2^62 − 1 for 2^62. Throws RangeError for a negative heat.
 */
export function heatBucketOf(heat: bigint): number {
  if (heat < 0n) throw new RangeError(`${heat} is not a heat: coins only add up`);
  return heat.toString(2).length - 1;
}
