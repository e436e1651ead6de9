/** The operating system's randomness behind the Random port. */
import { randomBytes } from 'node:crypto';
import type { Random } from '../../ports/random.ts';

const fractionBits = 48;

/** Every draw comes from the kernel's generator, so incarnations and claim tokens can't be guessed. */
export function createSystemRandom(): Random {
  return {
    fraction: () =>
      randomBytes(fractionBits / 8).readUIntBE(0, fractionBits / 8) / 2 ** fractionBits,
    hex: (byteCount) => randomBytes(byteCount).toString('hex'),
  };
}
