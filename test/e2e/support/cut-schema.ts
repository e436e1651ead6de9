/** A schema of the present release without the kinds of records and the symbols of later ones. */
import type { Json, JsonObject } from '../../../scripts/compose-avro-schemas.ts';

/** Named types by full name. */
type Known = Map<string, JsonObject>;

/**
 * `present` with only those branches of unions, and symbols of enums, that `former` has too. Fields
 * stay: read from bytes of the former release they have their defaults.
 */
export function cutToRelease(present: Json, former: Json): Json {
  return cut(present, namedTypes(former));
}

/** The records and enums that a schema spells out. */
export function namedTypes(schema: Json): Known {
  const known: Known = new Map();
  collectNamed(schema, known);
  return known;
}

function collectNamed(node: Json, known: Known): void {
  if (typeof node !== 'object' || node === null) return;
  if (isObject(node) && isFullName(node['name'])) known.set(node['name'], node);
  for (const part of Object.values<Json>(node)) collectNamed(part, known);
}

function cut(node: Json, known: Known): Json {
  if (typeof node !== 'object' || node === null) return node;
  if (!isObject(node)) {
    const branches = node.filter((branch) => {
      const name = typeof branch === 'string' ? branch : isObject(branch) && branch['name'];
      return !isFullName(name) || known.has(name);
    });
    return branches.map((branch) => cut(branch, known));
  }
  const partner = isFullName(node['name']) ? known.get(node['name']) : undefined;
  if (node['type'] === 'enum') return partner ?? node;
  const parts = Object.entries(node).map(([key, part]) => [key, cut(part, known)] as const);
  return Object.fromEntries(parts);
}

function isObject(node: Json): node is JsonObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** Every named type stands in one namespace; a field's name has none. */
function isFullName(name: unknown): name is string {
  return typeof name === 'string' && name.startsWith('roomcell.');
}
