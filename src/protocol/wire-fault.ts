/**
 * The one exception of this folder. It is thrown while bytes are read and caught before the codec
 * answers, so no caller ever sees it; its message becomes the `fault` of a Decoded.
 */
import type { Decoded } from './records.ts';

/** Bytes of ours that cannot be read, with the reason. */
export class WireFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WireFault';
  }
}

/**
 * Runs a reading and turns whatever it throws into a fault. Everything is caught on purpose: bytes
 * come from outside, and one bad record must end as a dead letter and not as the end of a process.
 */
export function decoded<T>(read: () => T): Decoded<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, fault: error instanceof Error ? error.message : String(error) };
  }
}
