/**
 * Puts the one-type-per-file schemas of `schemas/avro` together. Files at the top of the folder are
 * roots (what is written to a topic or a column); files below are the types that roots name. Each
 * root becomes one self-contained schema, with a named type spelled out where it is first used.
 *
 * The rules that let two releases read each other are checked here, so that a schema which breaks
 * them cannot be generated: every field has a default, every enum begins with UNKNOWN and falls back
 * to it. `omitSecrets` on a root leaves out all fields marked `secret`: what leaves the service has
 * no place for them, whatever the code does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** JSON as parsed. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; Avro types and fields are such. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** All schema files of a folder, by full name of their type. */
export interface SchemaFolder {
  /** Names of the root types, sorted. */
  readonly roots: readonly string[];
  readonly types: ReadonlyMap<string, JsonObject>;
}

/** A self-contained schema of one root. */
export interface ComposedSchema {
  /** Name without the namespace. */
  readonly name: string;
  readonly json: string;
}

interface Composition {
  readonly types: ReadonlyMap<string, JsonObject>;
  readonly spelledOut: Set<string>;
  readonly omitSecrets: boolean;
}

const primitives = new Set([
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'bytes',
  'string',
]);
const unknownSymbol = 'UNKNOWN';
const namespace = 'roomcell';

/** Reads every `.avsc` file below `folder`. A file is named after its type, in kebab-case. */
export function readSchemaFolder(folder: string): SchemaFolder {
  const types = new Map<string, JsonObject>();
  const roots: string[] = [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.avsc')).sort()) {
    const type = JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;
    const name = fullName(type);
    const expected = basename(file, '.avsc').replaceAll(/(^|-)([a-z])/g, (_, __, letter: string) =>
      letter.toUpperCase(),
    );
    if (type['name'] !== expected || type['namespace'] !== namespace) {
      throw new Error(`${file} does not hold ${namespace}.${expected}`);
    }
    types.set(name, type);
    if (!/[\\/]/.test(file)) roots.push(name);
  }
  return { roots: roots.sort(), types };
}

/** Composes every root of the folder; throws an Error that names the type which breaks a rule. */
export function composeSchemas(folder: SchemaFolder): readonly ComposedSchema[] {
  return folder.roots.map((root) => {
    const omitSecrets = folder.types.get(root)?.['omitSecrets'] === true;
    const composition = { types: folder.types, spelledOut: new Set<string>(), omitSecrets };
    const json = JSON.stringify(compose(root, composition));
    return { name: root.slice(root.lastIndexOf('.') + 1), json };
  });
}

function compose(type: Json, composition: Composition): Json {
  if (typeof type === 'string') return composeName(type, composition);
  if (Array.isArray(type)) return type.map((branch: Json) => compose(branch, composition));
  const shape = type as JsonObject;
  if (shape['type'] === 'record') return composeRecord(shape, composition);
  if (shape['type'] === 'enum') return composeEnum(shape);
  if (shape['type'] === 'array') {
    return { type: 'array', items: compose(shape['items'] ?? null, composition) };
  }
  return shape;
}

function composeName(name: string, composition: Composition): Json {
  if (primitives.has(name) || composition.spelledOut.has(name)) return name;
  const type = composition.types.get(name);
  if (type === undefined) throw new Error(`no schema file holds ${name}`);
  composition.spelledOut.add(name);
  return compose(type, composition);
}

function composeRecord(record: JsonObject, composition: Composition): JsonObject {
  const fields = record['fields'] as readonly JsonObject[];
  const kept = fields.filter((field) => !(composition.omitSecrets && field['secret'] === true));
  return {
    type: 'record',
    name: fullName(record),
    fields: kept.map((field) => {
      const { type = null, default: fallback, aliases } = field;
      const name = nameOf(field);
      if (fallback === undefined) throw new Error(`${fullName(record)}.${name} has no default`);
      const composed = { name, type: compose(type, composition), default: fallback };
      return aliases === undefined ? composed : { ...composed, aliases };
    }),
  };
}

function composeEnum(type: JsonObject): JsonObject {
  const { symbols = [], default: fallback = null } = type;
  const [first] = symbols as readonly string[];
  if (first === unknownSymbol && fallback === unknownSymbol) {
    return { type: 'enum', name: fullName(type), symbols, default: fallback };
  }
  throw new Error(`${fullName(type)} must begin with ${unknownSymbol} and fall back to it`);
}

/** Types inside a file have its namespace, and there is one for all files. */
function fullName(type: JsonObject): string {
  return `${namespace}.${nameOf(type)}`;
}

function nameOf(named: JsonObject): string {
  const { name } = named;
  if (typeof name !== 'string')
    throw new Error(`a type or field without a name: ${JSON.stringify(named)}`);
  return name;
}
