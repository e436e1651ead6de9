/**
 * Writes `src/protocol/generated-schemas.ts` from `schemas/avro`, so that the protocol layer needs
 * no file at run time. After a change of a schema: `npm run build` and then
 * `node dist/scripts/generate-avro-schemas.js`. A unit test fails while the module is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { composeSchemas, readSchemaFolder } from './compose-avro-schemas.ts';

const schemaFolder = 'schemas/avro';
const modulePath = 'src/protocol/generated-schemas.ts';

/** The text that the generated module must have; `root` is the folder of `package.json`. */
export async function renderSchemasModule(root: string): Promise<string> {
  const schemas = composeSchemas(readSchemaFolder(join(root, schemaFolder)));
  const entries = schemas.map(({ name, json }) => `  ${name}: ${asLiteral(json)},`);
  const text = [
    '/**',
    ' * Generated from `schemas/avro` by `scripts/generate-avro-schemas.ts`; change those files.',
    ' * Each schema is complete in itself: every named type stands at its first use.',
    ' */',
    '',
    '/** Avro JSON of every record that this release writes, by the name of the record. */',
    'export const schemaJson = {',
    ...entries,
    '} as const;',
    '',
    '/** Names of the records that this release writes. */',
    'export type SchemaName = keyof typeof schemaJson;',
    '',
  ].join('\n');
  const options = (await resolveConfig(join(root, modulePath))) ?? {};
  return format(text, { ...options, parser: 'typescript' });
}

/** The module as it lies in the tree. */
export function readSchemasModule(root: string): string {
  return readFileSync(join(root, modulePath), 'utf8');
}

/** A line for each named type: a line of 50,000 characters has no readable difference. */
function asLiteral(json: string): string {
  const pieces = json.split(/(?=\{"type":"(?:record|enum)")/);
  return pieces
    .map((piece) => `'${piece.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
    .join(' +\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(join(process.cwd(), modulePath), await renderSchemasModule(process.cwd()));
  console.log(`wrote ${modulePath}`);
}
