/**
 * Keys that `hashText` maps to one and the same number. Found by search: two texts with one hash
 * state, three times over, give eight. A test checks that they still collide.
 */

/** Eight different keys with one hash. */
export const collidingKeys: readonly string[] = ['c2ya8-', 'czki6-'].flatMap((first) =>
  ['1vl8-', 'ipd6-'].flatMap((second) =>
    ['1vl8-', 'ipd6-'].map((third) => `${first}${second}${third}`),
  ),
);
