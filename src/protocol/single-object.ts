/**
 * Avro's single-object encoding: the marker C3 01, the fingerprint of the writer's schema in eight
 * bytes, least significant first, then the record. Every value that leaves the process as bytes has
 * this form, so that any release can tell which schema wrote it.
 */
import { InvariantError } from '../kernel/assert.ts';
import type { OwnSchema, SchemaBook } from './schema-book.ts';
import type { SchemaName } from './generated-schemas.ts';
import { WireFault } from './wire-fault.ts';

const markerBytes = 2;
const fingerprintLength = 8;
const headerLength = markerBytes + fingerprintLength;
const firstMarker = 0xc3;
const secondMarker = 0x01;

const scratchBytesAtStart = 16 * 1024;
/** A larger value gets a buffer of its own, so that one huge room does not stay in memory. */
const scratchBytesMax = 1024 * 1024;

/** Writes values of this release's own schemas. */
export class SingleObjectWriter {
  private scratch: Buffer = Buffer.alloc(scratchBytesAtStart);

  /**
   * The bytes of a value. The value obeys its schema because its type says so; when it does not
   * (an int with a fraction, a time beyond 2^53), that is our bug: an InvariantError.
   */
  encode(schema: OwnSchema, value: unknown): Buffer {
    let buffer = this.scratch;
    for (;;) {
      const end = writeBody(schema, value, buffer);
      if (end >= 0) return withHeader(schema, buffer, end);
      // A negative end says how many bytes were missing.
      buffer = this.grow(buffer.length - end);
    }
  }

  private grow(needed: number): Buffer {
    const grown = Buffer.alloc(2 ** Math.ceil(Math.log2(needed)));
    if (grown.length <= scratchBytesMax) this.scratch = grown;
    return grown;
  }
}

/** The value in `bytes`, read as the record `name`. Throws WireFault (and whatever avsc throws). */
export function readSingleObject(book: SchemaBook, name: SchemaName, bytes: Uint8Array): unknown {
  const buffer = asBuffer(bytes);
  const fingerprint = fingerprintOf(buffer);
  if (fingerprint === null) throw new WireFault('not a single-object record');
  const reader = book.find(fingerprint);
  if (reader === undefined) throw new WireFault(`unknown schema ${fingerprint.toString('hex')}`);
  if (reader.name !== name) throw new WireFault(`a ${reader.name} instead of a ${name}`);
  reader.checkBounds(buffer, headerLength);
  return reader.read(buffer, headerLength);
}

/** The fingerprint as sixteen hex digits when the book does not hold it, else null. */
export function unknownFingerprint(book: SchemaBook, bytes: Uint8Array): string | null {
  const fingerprint = fingerprintOf(asBuffer(bytes));
  if (fingerprint === null || book.find(fingerprint) !== undefined) return null;
  return fingerprint.toString('hex');
}

function fingerprintOf(bytes: Buffer): Buffer | null {
  if (bytes.length < headerLength) return null;
  if (bytes[0] !== firstMarker || bytes[1] !== secondMarker) return null;
  return bytes.subarray(markerBytes, headerLength);
}

function writeBody(schema: OwnSchema, value: unknown, buffer: Buffer): number {
  try {
    return schema.type.encode(value, buffer, headerLength);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new InvariantError(`a value is no ${schema.name}`, { cause });
  }
}

function withHeader(schema: OwnSchema, buffer: Buffer, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end);
  buffer.copy(bytes, headerLength, headerLength, end);
  bytes[0] = firstMarker;
  bytes[1] = secondMarker;
  schema.fingerprint.copy(bytes, markerBytes);
  return bytes;
}

function asBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
