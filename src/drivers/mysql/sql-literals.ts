/**
 * Values as SQL text, for the one place where building text value by value is worth it: the commit
 * lane's packet. A value that cannot be written exactly throws, and never becomes another value.
 */
import mysql from 'mysql2';

/** Ids of ours consist of these characters and need no escaping (`domain/ids.ts`). */
const plain = /^[A-Za-z0-9_.:-]*$/;

/**
 * A text, quoted and escaped; throws TypeError for anything else, because a null that slipped
 * through the types would be stored as the word.
 */
export function text(value: string): string {
  if (typeof value !== 'string') throw new TypeError(`${String(value)} is not a text`);
  return plain.test(value) ? `'${value}'` : mysql.escape(value);
}

/** A text that may be absent. */
export function textOrNull(value: string | null): string {
  return value === null ? 'NULL' : text(value);
}

/** Bytes as a hex literal. */
export function bytes(value: Uint8Array): string {
  return `x'${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}'`;
}

/** Bytes that may be absent. */
export function bytesOrNull(value: Uint8Array | null): string {
  return value === null ? 'NULL' : bytes(value);
}

/** A whole number; throws RangeError for a fraction, NaN, or one that a double does not hold. */
export function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number`);
  return String(value);
}

/** A 64-bit number; throws TypeError for anything else. */
export function big(value: bigint): string {
  if (typeof value !== 'bigint') throw new TypeError(`${String(value)} is not a bigint`);
  return value.toString();
}

/** A 64-bit number that may be absent. */
export function bigOrNull(value: bigint | null): string {
  return value === null ? 'NULL' : big(value);
}

/** A whole number that may be absent. */
export function wholeOrNull(value: number | null): string {
  return value === null ? 'NULL' : whole(value);
}

/** A text cut to `lengthMax` characters, as MySQL counts them, so that it always fits its column. */
export function cutTo(value: string, lengthMax: number): string {
  if (value.length <= lengthMax) return value;
  const characters = Array.from(value);
  return characters.length <= lengthMax ? value : characters.slice(0, lengthMax).join('');
}
