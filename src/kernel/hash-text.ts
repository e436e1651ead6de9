/**
 * One 32-bit hash of a text, the same on every machine and in every release. The persistent map
 * iterates in its order: it stays as it is, so that nobody's order changes with a release.
 */

const fnvOffsetBasis = 0x811c9dc5;
const fnvPrime = 0x01000193;

/**
 * FNV-1a over the UTF-16 code units, then a finishing mix so that texts that differ only at their
 * end (`u1`, `u2` …) spread over the low bits too. Returns an unsigned 32-bit integer. Not keyed:
 * whoever uses it must stay correct, and bearable, when somebody makes texts collide on purpose.
 */
export function hashText(text: string): number {
  let hash = fnvOffsetBasis;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), fnvPrime);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
