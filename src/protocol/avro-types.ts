/**
 * How Avro's primitive types become values of ours. Longs are bigints, exact in all 64 bits; longs
 * marked as milliseconds are numbers, checked to be safe integers; texts are written as well-formed
 * Unicode, because a lone surrogate would come back as another text and change a state's hash.
 */
import avsc from 'avsc';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const varintBytesMax = 10;

/** Logical types of longs that are read as numbers: a point in time and a length of time. */
const millisecondTypes: ReadonlySet<unknown> = new Set(['timestamp-millis', 'duration-millis']);

/** One output buffer for all longs; avsc copies it away before the next is written. */
const varint = Buffer.alloc(varintBytesMax);
const varintsByLength = Array.from({ length: varintBytesMax + 1 }, (_, n) => varint.subarray(0, n));

const bigintLong = avsc.types.LongType.__with(
  {
    fromBuffer: readVarint,
    toBuffer: writeVarint,
    fromJSON: (value: number | bigint | string) => BigInt(value),
    toJSON: (value: bigint) => String(value),
    isValid: (value: unknown) =>
      typeof value === 'bigint' && value >= int64Min && value <= int64Max,
    compare: (left: bigint, right: bigint) => (left === right ? 0 : left < right ? -1 : 1),
  },
  true,
);

/** Throws on values beyond ±(2^53 − 2), in both directions, instead of rounding them. */
const numberLong = avsc.Type.forSchema('long');

/** Node has `toWellFormed` since version 20; the library version in use does not know it yet. */
interface WellFormedText {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

class TextType extends avsc.types.LogicalType {
  protected override _fromValue(text: string): string {
    return text;
  }

  protected override _toValue(text: unknown): string | undefined {
    if (typeof text !== 'string') return undefined;
    const checked = text as unknown as WellFormedText;
    return checked.isWellFormed() ? text : checked.toWellFormed();
  }

  protected override _resolve(writer: avsc.Type): ((text: string) => string) | undefined {
    const readable = writer instanceof TextType || writer.typeName === 'string';
    return readable ? (text) => text : undefined;
  }
}

const text = new TextType({ type: 'string', logicalType: 'well-formed-text' });

/** Parses a self-contained schema. Throws on anything that is not one. */
export function parseAvroType(schema: unknown): avsc.Type {
  // No record methods: decoded records are data, and a field may have any name.
  return avsc.Type.forSchema(schema as avsc.Schema, { typeHook, omitRecordMethods: true });
}

function typeHook(schema: unknown): avsc.Type | undefined {
  if (schema === 'long') return bigintLong;
  if (schema === 'string') return text;
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { type, logicalType } = schema as { type?: unknown; logicalType?: unknown };
  if (type === 'string') return text;
  if (type !== 'long') return undefined;
  return millisecondTypes.has(logicalType) ? numberLong : bigintLong;
}

/** `bytes` is one zigzag varint, least significant group first. */
function readVarint(bytes: Uint8Array): bigint {
  let low = 0;
  let weight = 1;
  // Up to seven groups of seven bits stay exact in a double; the rest goes through bigints.
  const inNumber = Math.min(bytes.length, 7);
  for (let i = 0; i < inNumber; i += 1) {
    low += ((bytes[i] as number) & 0x7f) * weight;
    weight *= 128;
  }
  let zigzag = BigInt(low);
  for (let i = inNumber; i < bytes.length; i += 1) {
    zigzag |= BigInt((bytes[i] as number) & 0x7f) << BigInt(7 * i);
  }
  return BigInt.asIntN(64, (zigzag >> 1n) ^ -(zigzag & 1n));
}

function writeVarint(value: bigint): Buffer {
  let zigzag = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  let length = 0;
  while (zigzag > 0x7fn) {
    varint[length] = Number(zigzag & 0x7fn) | 0x80;
    zigzag >>= 7n;
    length += 1;
  }
  varint[length] = Number(zigzag);
  return varintsByLength[length + 1] as Buffer;
}
