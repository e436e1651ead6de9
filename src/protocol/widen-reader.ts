/**
 * Reading a writer that knows more kinds of records than we do. Avro refuses such a writer as a
 * whole: a union branch without a partner makes every record of that schema unreadable, also those
 * that use only branches we know. So the reader's schema is widened first: each union gains an
 * empty record for every branch name that is new to it. A record of a known kind is then read as
 * always, and one of an unknown kind comes back by its name, without its fields.
 */

/** JSON of an Avro schema, as parsed. */
export type SchemaNode =
  string | readonly SchemaNode[] | { readonly [key: string]: unknown; readonly type?: unknown };

interface Field {
  readonly name: string;
  readonly type: SchemaNode;
}

interface NamedRecord {
  readonly name: string;
  readonly fields: readonly Field[];
}

/** Types that a schema spells out, by full name: later uses give only the name. */
type Definitions = Map<string, NamedRecord>;

/**
 * The reader's schema with a partner for every record branch of the writer's unions. Both schemas
 * carry full names, as the generator and the canonical form write them.
 */
export function widenReader(reader: SchemaNode, writer: SchemaNode): SchemaNode {
  const definitions: Definitions = new Map();
  collectRecords(writer, definitions);
  return widen(reader, writer, definitions);
}

function widen(reader: SchemaNode, writer: SchemaNode, writers: Definitions): SchemaNode {
  if (isUnion(reader)) return isUnion(writer) ? widenUnion(reader, writer, writers) : reader;
  if (isUnion(writer) || typeof reader === 'string') return reader;
  const written = typeof writer === 'string' ? undefined : writer;
  if (reader['type'] === 'array' && written?.['type'] === 'array') {
    const items = widen(asNode(reader['items']), asNode(written['items']), writers);
    return { ...reader, items };
  }
  if (!isRecord(reader)) return reader;
  const partner = writers.get(reader.name);
  return partner === undefined ? reader : widenRecord(reader, partner, writers);
}

function widenRecord(reader: NamedRecord, writer: NamedRecord, writers: Definitions): SchemaNode {
  const fields = reader.fields.map((field) => {
    const partner = writer.fields.find(({ name }) => name === field.name);
    return partner === undefined
      ? field
      : { ...field, type: widen(field.type, partner.type, writers) };
  });
  return { ...reader, fields };
}

function widenUnion(
  reader: readonly SchemaNode[],
  writer: readonly SchemaNode[],
  writers: Definitions,
): SchemaNode {
  const own = new Set(reader.map(branchName));
  const widened = reader.map((branch) => {
    const partner = writer.find((written) => branchName(written) === branchName(branch));
    return partner === undefined ? branch : widen(branch, partner, writers);
  });
  const foreign = writer.map(branchName).filter((name) => !own.has(name) && writers.has(name));
  return [...widened, ...foreign.map((name) => ({ type: 'record', name, fields: [] }))];
}

function collectRecords(node: SchemaNode, into: Definitions): void {
  if (typeof node === 'string') return;
  if (isUnion(node)) {
    for (const branch of node) collectRecords(branch, into);
  } else if (node['type'] === 'array') {
    collectRecords(asNode(node['items']), into);
  } else if (isRecord(node)) {
    into.set(node.name, node);
    for (const field of node.fields) collectRecords(field.type, into);
  }
}

function branchName(branch: SchemaNode): string {
  if (typeof branch === 'string') return branch;
  if (isUnion(branch)) return '';
  return String(branch['name'] ?? branch['type']);
}

function isUnion(node: SchemaNode): node is readonly SchemaNode[] {
  return Array.isArray(node);
}

function isRecord(node: unknown): node is NamedRecord & { readonly [key: string]: unknown } {
  return (
    typeof node === 'object' && node !== null && (node as { type?: unknown }).type === 'record'
  );
}

function asNode(value: unknown): SchemaNode {
  return value as SchemaNode;
}
