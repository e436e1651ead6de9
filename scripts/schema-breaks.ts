/**
 * What a schema of a former release would lose to the present one. Bytes of every release are read
 * for ever, and during an upgrade a former release reads what the present one writes, so a schema
 * only grows: fields that have a default, symbols and branches at the end. Stricter than Avro's own
 * resolution on purpose. Avro reads an `int` as a `long` and finds a renamed field by its alias, yet
 * the former release could not read the answer; and it takes a changed default or a dropped logical
 * type for the same schema, though old bytes would then mean something else.
 */
import type { Json, JsonObject } from './compose-avro-schemas.ts';

/**
 * One sentence per break, each beginning with the place; empty when `present` may follow `released`.
 * Both are complete schemas as the composer writes them: full names, each type spelled out once.
 */
export function schemaBreaks(released: Json, present: Json): readonly string[] {
  const comparison: Comparison = {
    released: definitionsIn(released),
    present: definitionsIn(present),
    compared: new Set(),
    breaks: [],
  };
  compareTypes(comparison, placeOf(released), released, present);
  return comparison.breaks;
}

type Definitions = ReadonlyMap<string, JsonObject>;

interface Comparison {
  readonly released: Definitions;
  readonly present: Definitions;
  /** Named types that were compared already: each is used in many places. */
  readonly compared: Set<string>;
  readonly breaks: string[];
}

function compareTypes(comparison: Comparison, place: string, released: Json, present: Json): void {
  const before = resolved(released, comparison.released);
  const now = resolved(present, comparison.present);
  if (Array.isArray(before) || Array.isArray(now)) {
    compareUnions(comparison, place, before, now);
    return;
  }
  const kindBefore = describeType(before);
  const kindNow = describeType(now);
  if (kindBefore !== kindNow) {
    comparison.breaks.push(`${place} was ${kindBefore} and is ${kindNow}`);
    return;
  }
  if (typeof before !== 'object' || typeof now !== 'object') return;
  compareShapes(comparison, place, before as JsonObject, now as JsonObject);
}

function compareShapes(
  comparison: Comparison,
  place: string,
  before: JsonObject,
  now: JsonObject,
): void {
  switch (before['type']) {
    case 'record':
      if (isFirst(comparison, before)) compareRecords(comparison, before, now);
      return;
    case 'enum':
      if (isFirst(comparison, before)) compareEnums(comparison, before, now);
      return;
    case 'array':
      compareTypes(comparison, `${place}[]`, before['items'] ?? null, now['items'] ?? null);
      return;
    default:
  }
}

function isFirst({ compared }: Comparison, type: JsonObject): boolean {
  const name = wordIn(type, 'name');
  if (compared.has(name)) return false;
  compared.add(name);
  return true;
}

function compareRecords(comparison: Comparison, before: JsonObject, now: JsonObject): void {
  const { breaks } = comparison;
  const record = shortName(before);
  const fieldsNow = new Map(fieldsOf(now).map((field) => [wordIn(field, 'name'), field]));
  for (const field of fieldsOf(before)) {
    const place = `${record}.${wordIn(field, 'name')}`;
    const partner = fieldsNow.get(wordIn(field, 'name'));
    if (partner === undefined) {
      breaks.push(`${place} is gone`);
      continue;
    }
    const [fallback, fallbackNow] = [field['default'], partner['default']].map(asText);
    if (fallback !== fallbackNow) {
      breaks.push(`${place} had the default ${fallback} and has ${fallbackNow}`);
    }
    compareTypes(comparison, place, field['type'] ?? null, partner['type'] ?? null);
    fieldsNow.delete(wordIn(field, 'name'));
  }
  for (const [name, added] of fieldsNow) {
    if (added['default'] === undefined) breaks.push(`${record}.${name} has no default`);
  }
}

function compareEnums({ breaks }: Comparison, before: JsonObject, now: JsonObject): void {
  const name = shortName(before);
  for (const [index, symbol] of listOf(before['symbols']).entries()) {
    const symbolNow = listOf(now['symbols'])[index];
    if (symbol === symbolNow) continue;
    breaks.push(`${name} had ${asText(symbol)} in place ${index} and has ${asText(symbolNow)}`);
  }
  const [fallback, fallbackNow] = [before['default'], now['default']].map(asText);
  if (fallback !== fallbackNow) {
    breaks.push(`${name} fell back to ${fallback} and falls back to ${fallbackNow}`);
  }
}

function compareUnions(comparison: Comparison, place: string, before: Json, now: Json): void {
  if (!Array.isArray(before) || !Array.isArray(now)) {
    comparison.breaks.push(`${place} was ${describeType(before)} and is ${describeType(now)}`);
    return;
  }
  for (const [index, branch] of (before as readonly Json[]).entries()) {
    const branchNow = (now as readonly Json[])[index];
    if (branchNow === undefined) {
      comparison.breaks.push(`${place} has no branch ${index} any more`);
    } else {
      compareTypes(comparison, `${place} branch ${index}`, branch, branchNow);
    }
  }
}

/** A name becomes what it stands for; all else is itself. */
function resolved(type: Json, definitions: Definitions): Json {
  return typeof type === 'string' ? (definitions.get(type) ?? type) : type;
}

/** Kind, name and logical type: what must be the same on both sides, without the parts. */
function describeType(type: Json): string {
  if (Array.isArray(type)) return 'a union';
  if (typeof type !== 'object' || type === null) return typeof type === 'string' ? type : 'nothing';
  const words = ['type', 'name', 'logicalType'].map((key) => wordIn(type as JsonObject, key));
  return words.filter((word) => word !== '').join(' ');
}

function definitionsIn(schema: Json): Definitions {
  const found = new Map<string, JsonObject>();
  JSON.stringify(schema, (_, node: Json) => {
    if (typeof node === 'object' && node !== null && !Array.isArray(node)) {
      const type = node as JsonObject;
      const isNamed = type['type'] === 'record' || type['type'] === 'enum';
      if (isNamed) found.set(wordIn(type, 'name'), type);
    }
    return node;
  });
  return found;
}

function placeOf(schema: Json): string {
  return typeof schema === 'object' && !Array.isArray(schema) && schema !== null
    ? shortName(schema as JsonObject)
    : asText(schema);
}

function fieldsOf(record: JsonObject): readonly JsonObject[] {
  return listOf(record['fields']) as readonly JsonObject[];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function shortName(type: JsonObject): string {
  return wordIn(type, 'name').replace(/^.*\./, '');
}

function wordIn(type: JsonObject, key: string): string {
  const word = type[key];
  return typeof word === 'string' ? word : '';
}

function asText(value: Json | undefined): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
