/** Bytes that no command record is. */

/** A text's bytes. */
export function encodeUtf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** Bytes at the front of each stored value that say how to read the rest. */
const prefixBytes = 10;

/**
 * Nothing, nonsense, or the bytes of a real record with a fault: cut off, or one bit wrong. The bit is
 * one of the prefix: further behind, a bit makes another command that is as good as the first, and a
 * sender that forgets its CRC-32C, too, could mean it.
 */
export function junkOf(choice: number, real: Uint8Array | null): Uint8Array {
  const nonsense = encodeUtf8(`junk ${choice}`);
  if (real === null || real.length === 0) return nonsense;
  switch (choice % 4) {
    case 0:
      return new Uint8Array(0);
    case 1:
      return nonsense;
    case 2:
      return real.slice(0, choice % real.length);
    default: {
      const broken = Uint8Array.from(real);
      const at = choice % Math.min(broken.length, prefixBytes);
      broken[at] = (broken[at] ?? 0) ^ 1;
      return broken;
    }
  }
}
