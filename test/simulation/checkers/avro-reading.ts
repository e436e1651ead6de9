/**
 * The checkers' own reading of stored bytes: schemas straight from `schemas/avro`, single-object
 * encoding (marker, fingerprint, body), every long a bigint. It shares nothing with the product's
 * codec, so that a fault there is not a fault here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import avsc from 'avsc';
import { projectRoot } from '../../../src/main/project-root.ts';
import { bigintLong } from './bigint-long.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** What can be read, by the name of its record. */
export type RecordName =
  | 'CommandTopicRecord'
  | 'DisplayEnvelope'
  | 'EventEnvelope'
  | 'LoggedEvents'
  | 'ReplyRecord'
  | 'ResultRecord'
  | 'RoomSnapshot';

const namespace = 'roomcell.';
const markerHex = 'c301';
const headerBytes = 10;
const folder = join(projectRoot(), 'schemas', 'avro');

interface Reader {
  readonly type: avsc.Type;
  /** Ten bytes: marker and fingerprint. */
  readonly header: Buffer;
}

/** Several checkers look at the same record one after the other. */
let last: {
  readonly bytes: Uint8Array;
  readonly name: RecordName;
  readonly value: unknown;
} | null = null;

const readers = new Map<RecordName, Reader>();
const namesByHeader = new Map<string, RecordName>();
readSchemas();

/** Name of the record that the bytes say they are, or null. */
export function recordNameOf(bytes: Uint8Array): RecordName | null {
  const { buffer, byteOffset, byteLength } = bytes;
  const length = Math.min(byteLength, headerBytes);
  return namesByHeader.get(Buffer.from(buffer, byteOffset, length).toString('latin1')) ?? null;
}

/** The record in `bytes`. Throws an Error that says what is wrong with them. */
export function readRecord<T>(name: RecordName, bytes: Uint8Array): T {
  const { type, header } = readerOf(name);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.subarray(0, headerBytes).equals(header)) {
    throw new Error(
      `no ${name}: it begins with ${buffer.subarray(0, headerBytes).toString('hex')}`,
    );
  }
  return type.fromBuffer(buffer.subarray(headerBytes)) as T;
}

/** As `readRecord`; null for bytes that are no such record, for those who only look in passing. */
export function readIfAny<T>(name: RecordName, bytes: Uint8Array): T | null {
  if (last?.bytes === bytes && last.name === name) return last.value as T | null;
  last = { bytes, name, value: recordNameOf(bytes) === name ? readOrNull(name, bytes) : null };
  return last.value as T | null;
}

/** The canonical bytes of a record. */
export function writeRecord(name: RecordName, value: unknown): Buffer {
  const { type, header } = readerOf(name);
  return Buffer.concat([header, type.toBuffer(value)]);
}

/** The branch of a union that a decoded value holds; null for the null branch. */
export function branchOf(union: unknown): { readonly name: string; readonly value: object } | null {
  const branches = (union ?? {}) as Readonly<Record<string, object>>;
  const [name] = Object.keys(branches);
  const value = name === undefined ? undefined : branches[name];
  if (name === undefined || value === undefined) return null;
  return { name: name.slice(namespace.length), value };
}

function readOrNull(name: RecordName, bytes: Uint8Array): unknown {
  try {
    return readRecord(name, bytes);
  } catch {
    // Damaged behind its header: whoever must be able to read it says so.
    return null;
  }
}

function readerOf(name: RecordName): Reader {
  const reader = readers.get(name);
  if (reader === undefined) throw new Error(`schemas/avro has no ${name}`);
  return reader;
}

function readSchemas(): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.avsc'))
    .map((file) => file.replaceAll('\\', '/'));
  const byName = new Map<string, JsonObject>();
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const schema = JSON.parse(text) as JsonObject & { readonly name: string };
    byName.set(namespace + schema.name, schema);
  }
  for (const file of files.filter((each) => !each.includes('/'))) {
    const name = file
      .replace('.avsc', '')
      .split('-')
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join('') as RecordName;
    const root = byName.get(namespace + name) ?? {};
    const whole = spellOut(root, byName, new Set(), root['omitSecrets'] === true);
    const type = avsc.Type.forSchema(whole as avsc.Schema, { registry: { long: bigintLong } });
    const header = Buffer.concat([
      Buffer.from(markerHex, 'hex'),
      rabin(JSON.stringify(type.schema())),
    ]);
    readers.set(name, { type, header });
    namesByHeader.set(header.toString('latin1'), name);
  }
}

/** One schema complete in itself: each named type where it is first used, times as plain longs. */
function spellOut(
  schema: Json,
  byName: ReadonlyMap<string, JsonObject>,
  seen: Set<string>,
  omitSecrets: boolean,
): Json {
  const inner = (each: Json): Json => spellOut(each, byName, seen, omitSecrets);
  if (typeof schema === 'string') {
    const named = byName.get(schema);
    if (named === undefined || seen.has(schema)) return schema;
    seen.add(schema);
    return inner(named);
  }
  if (Array.isArray(schema)) return schema.map((branch: Json) => inner(branch));
  const object = schema as JsonObject;
  if (object['type'] === 'long') return 'long';
  if (object['type'] === 'array') return { ...object, items: inner(object['items'] ?? null) };
  if (object['type'] !== 'record') return object;
  const fields = object['fields'] as readonly JsonObject[];
  const kept = fields.filter((field) => !(omitSecrets && field['secret'] === true));
  const named = kept.map((field) => ({ ...field, type: inner(field['type'] ?? null) }));
  return { ...object, fields: named };
}

/** CRC-64-AVRO as its specification has it, bit by bit; the bytes as on the wire. */
function rabin(canonicalJson: string): Buffer {
  const empty = 0xc15d213aa4d7a795n;
  let fingerprint = empty;
  for (const byte of Buffer.from(canonicalJson, 'utf8')) {
    fingerprint ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) {
      fingerprint = (fingerprint >> 1n) ^ ((fingerprint & 1n) === 1n ? empty : 0n);
    }
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(fingerprint);
  return bytes;
}
