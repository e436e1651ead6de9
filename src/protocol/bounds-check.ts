/**
 * A walk over encoded bytes that builds nothing and only asks whether they can be what their schema
 * says. It stands before every decoding because the decoder trusts counts: nine bytes that claim a
 * list of two billion items would keep it busy for minutes and fill the memory before it noticed
 * that the input ended. The walk refuses a count that the remaining bytes cannot hold.
 */
import type avsc from 'avsc';
import { WireFault } from './wire-fault.ts';

/** Promises that `bytes` from `start` to the end are one value of the type; throws a WireFault. */
export type BoundsCheck = (bytes: Uint8Array, start: number) => void;

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

type Skip = (cursor: Cursor) => void;

const varintBytesMax = 10;
const floatBytes = 4;
const doubleBytes = 8;

/** Builds the check for one schema, once. */
export function boundsCheckOf(type: avsc.Type): BoundsCheck {
  const skip = skipOf(type, new Map());
  return (bytes, start) => {
    const cursor: Cursor = { bytes, at: start };
    skip(cursor);
    const rest = bytes.length - cursor.at;
    if (rest > 0) throw new WireFault(`${rest} bytes too many`);
  };
}

function skipOf(type: avsc.Type, known: Map<avsc.Type, Skip>): Skip {
  const before = known.get(type);
  if (before !== undefined) return before;
  // Entered before it is built, so that a type which holds itself ends.
  let built: Skip = () => undefined;
  known.set(type, (cursor) => built(cursor));
  built = buildSkip(type, known);
  known.set(type, built);
  return built;
}

/** avsc's own types say by their name which of their fields are there. */
interface AnyType {
  readonly typeName: string;
  readonly underlyingType: avsc.Type;
  readonly fields: readonly avsc.types.Field[];
  readonly itemsType: avsc.Type;
  readonly valuesType: avsc.Type;
  readonly types: readonly avsc.Type[];
  readonly symbols: readonly string[];
  readonly size: number;
}

function buildSkip(type: avsc.Type, known: Map<avsc.Type, Skip>): Skip {
  const shape = type as unknown as AnyType;
  const { typeName } = shape;
  if (typeName.startsWith('logical:')) return skipOf(shape.underlyingType, known);
  if (typeName.startsWith('union:')) return skipUnion(shape.types.map((t) => skipOf(t, known)));
  switch (typeName) {
    case 'null':
      return () => undefined;
    case 'boolean':
      return (cursor) => skipBytes(cursor, 1);
    case 'int':
    case 'long':
    case 'abstract:long':
      return (cursor) => void readCount(cursor);
    case 'float':
      return (cursor) => skipBytes(cursor, floatBytes);
    case 'double':
      return (cursor) => skipBytes(cursor, doubleBytes);
    case 'fixed':
      return (cursor) => skipBytes(cursor, shape.size);
    case 'bytes':
    case 'string':
      return skipText;
    case 'enum':
      return skipEnum(shape.symbols.length);
    case 'array':
      return skipBlocks(skipOf(shape.itemsType, known));
    case 'map':
      return skipBlocks(skipSequence([skipText, skipOf(shape.valuesType, known)]));
    case 'record':
    case 'error':
      return skipSequence(shape.fields.map((field) => skipOf(field.type, known)));
    default:
      throw new WireFault(`schema with the unknown type ${typeName}`);
  }
}

function skipSequence(parts: readonly Skip[]): Skip {
  return (cursor) => {
    for (const part of parts) part(cursor);
  };
}

function skipUnion(branches: readonly Skip[]): Skip {
  return (cursor) => {
    const index = readCount(cursor);
    const branch = branches[index];
    if (branch === undefined) throw new WireFault(`union branch ${index} does not exist`);
    branch(cursor);
  };
}

function skipEnum(symbolCount: number): Skip {
  return (cursor) => {
    const index = readCount(cursor);
    if (index < 0 || index >= symbolCount)
      throw new WireFault(`enum symbol ${index} does not exist`);
  };
}

/** Blocks of items; a negative count is followed by the block's length in bytes. */
function skipBlocks(item: Skip): Skip {
  return (cursor) => {
    for (let count = readCount(cursor); count !== 0; count = readCount(cursor)) {
      if (count < 0) readCount(cursor);
      const items = Math.abs(count);
      // Every item of our lists takes a byte or more.
      if (items > cursor.bytes.length - cursor.at) throw new WireFault(`a list of ${items} is cut`);
      for (let i = 0; i < items; i += 1) item(cursor);
    }
  };
}

function skipText(cursor: Cursor): void {
  skipBytes(cursor, readCount(cursor));
}

function skipBytes(cursor: Cursor, length: number): void {
  if (length < 0 || length > cursor.bytes.length - cursor.at) throw new WireFault('cut short');
  cursor.at += length;
}

/** A zigzag varint. Large values lose precision, which is harmless for counts that are refused. */
function readCount(cursor: Cursor): number {
  let zigzag = 0;
  let weight = 1;
  for (let i = 0; i < varintBytesMax; i += 1) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) throw new WireFault('cut short');
    cursor.at += 1;
    zigzag += (byte & 0x7f) * weight;
    if (byte < 0x80) return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    weight *= 128;
  }
  throw new WireFault('a number of more than ten bytes');
}
