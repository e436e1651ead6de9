/** Avro's long as a bigint, for the checkers' own reading of stored bytes. */
import avsc from 'avsc';

/** The type to register as `long`: exact in all 64 bits. */
export const bigintLong = avsc.types.LongType.__with(
  {
    fromBuffer: readZigzag,
    toBuffer: writeZigzag,
    fromJSON: (value: number) => BigInt(value),
    toJSON: Number,
    isValid: (value: unknown) => typeof value === 'bigint',
    compare: (left: bigint, right: bigint) => (left < right ? -1 : left > right ? 1 : 0),
  },
  // The bytes as they are: groups of seven bits, the lowest first.
  true,
);

function readZigzag(bytes: Uint8Array): bigint {
  // Seven groups fit into a number, which is much quicker; the rest goes on as bigints.
  let low = 0;
  for (let at = Math.min(bytes.length, 7) - 1; at >= 0; at -= 1) {
    low = low * 128 + ((bytes[at] ?? 0) & 0x7f);
  }
  let zigzag = BigInt(low);
  for (let at = 7; at < bytes.length; at += 1) {
    zigzag |= BigInt((bytes[at] ?? 0) & 0x7f) << BigInt(7 * at);
  }
  return (zigzag & 1n) === 0n ? zigzag >> 1n : -(zigzag >> 1n) - 1n;
}

function writeZigzag(value: bigint): Buffer {
  const zigzag = value < 0n ? -2n * value - 1n : 2n * value;
  const bytes: number[] = [];
  let big = zigzag;
  for (; big > BigInt(Number.MAX_SAFE_INTEGER); big >>= 7n) bytes.push(Number(big & 0x7fn) | 0x80);
  let rest = Number(big);
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
