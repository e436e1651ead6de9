/**
 * Every schema that this process can read or write, by fingerprint: its own, and those of other
 * releases as it learns them. Whatever is slow about a schema (parsing, resolving, building the
 * bounds check) happens once, when it enters the book.
 */
import { InvariantError } from '../kernel/assert.ts';
import { parseAvroType } from './avro-types.ts';
import { boundsCheckOf } from './bounds-check.ts';
import type { BoundsCheck } from './bounds-check.ts';
import { schemaJson } from './generated-schemas.ts';
import type { SchemaName } from './generated-schemas.ts';
import { fingerprintBytes, rabinFingerprint } from './schema-fingerprint.ts';
import { widenReader } from './widen-reader.ts';
import type { SchemaNode } from './widen-reader.ts';
import { WireFault } from './wire-fault.ts';

type AvroType = ReturnType<typeof parseAvroType>;

/** One schema this release writes. */
export interface OwnSchema {
  readonly name: SchemaName;
  readonly json: string;
  readonly type: AvroType;
  /** Eight bytes as on the wire. */
  readonly fingerprint: Buffer;
}

/** How bytes of one schema become a value of this release. */
export interface SchemaReader {
  /** Name of the record without its namespace; may be one that this release does not know. */
  readonly name: string;
  readonly checkBounds: BoundsCheck;
  /** `start` is the first byte after the header. Call `checkBounds` first. */
  readonly read: (bytes: Buffer, start: number) => unknown;
}

const schemaNames = Object.keys(schemaJson) as readonly SchemaName[];

/** See the file header. */
export class SchemaBook {
  readonly own: Readonly<Record<SchemaName, OwnSchema>>;
  private readonly readers = new Map<string, SchemaReader>();

  constructor() {
    const schemas = schemaNames.map(makeOwnSchema);
    this.own = Object.fromEntries(schemas.map((schema) => [schema.name, schema])) as Readonly<
      Record<SchemaName, OwnSchema>
    >;
    for (const schema of schemas) this.readers.set(keyOf(schema.fingerprint), ownReader(schema));
  }

  /** The reader of a fingerprint (eight bytes as on the wire), or undefined. */
  find(fingerprint: Buffer): SchemaReader | undefined {
    return this.readers.get(keyOf(fingerprint));
  }

  /**
   * Enters a schema of another release. Entering it again changes nothing. A schema that cannot be
   * read as ours is entered too: its records are then faults, and not asked for again and again.
   * Throws an InvariantError on a text that is no Avro schema; only such texts are ever registered.
   */
  learn(json: string): void {
    const writer = parseForeign(json);
    const fingerprint = fingerprintBytes(rabinFingerprint(canonicalForm(writer)));
    const key = keyOf(fingerprint);
    if (!this.readers.has(key)) this.readers.set(key, foreignReader(writer, this.own));
  }
}

/** Parsing canonical form: what a fingerprint is computed over. */
export function canonicalForm(type: AvroType): string {
  return JSON.stringify(type.schema());
}

function makeOwnSchema(name: SchemaName): OwnSchema {
  const json = schemaJson[name];
  const type = parseAvroType(JSON.parse(json));
  return { name, json, type, fingerprint: fingerprintBytes(rabinFingerprint(canonicalForm(type))) };
}

function ownReader({ name, type }: OwnSchema): SchemaReader {
  return {
    name,
    checkBounds: boundsCheckOf(type),
    read: (bytes, start) => valueAt(type, bytes, start),
  };
}

function foreignReader(writer: AvroType, own: SchemaBook['own']): SchemaReader {
  const name = (writer.name ?? writer.typeName).replace(/^.*\./, '');
  const checkBounds = boundsCheckOf(writer);
  const reader = (own as Readonly<Record<string, OwnSchema | undefined>>)[name];
  if (reader === undefined)
    return { name, checkBounds, read: () => unreadable(name, 'no such record') };
  try {
    const written = JSON.parse(canonicalForm(writer)) as SchemaNode;
    const widened = widenReader(JSON.parse(reader.json) as SchemaNode, written);
    const type = parseAvroType(widened);
    const resolver = type.createResolver(writer);
    return { name, checkBounds, read: (bytes, start) => valueAt(type, bytes, start, resolver) };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return { name, checkBounds, read: () => unreadable(name, cause) };
  }
}

function valueAt(
  type: AvroType,
  bytes: Buffer,
  start: number,
  resolver?: ReturnType<AvroType['createResolver']>,
): unknown {
  const { value, offset } = type.decode(bytes, start, resolver) as {
    readonly value: unknown;
    readonly offset: number;
  };
  // The bounds check ends at the last byte, so the two readings of the schema must agree here.
  if (offset !== bytes.length) throw new WireFault(`read to ${offset} of ${bytes.length} bytes`);
  return value;
}

function unreadable(name: string, cause: string): never {
  throw new WireFault(`this release cannot read ${name} of another one: ${cause}`);
}

function parseForeign(json: string): AvroType {
  try {
    return parseAvroType(JSON.parse(json));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new InvariantError('the schema registry holds a text that is no schema', { cause });
  }
}

/** Eight bytes as a map key. */
function keyOf(fingerprint: Buffer): string {
  return fingerprint.toString('latin1');
}
