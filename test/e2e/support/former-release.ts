/**
 * A stand-in for a node of release 0.2.0 that a newer release has to live beside: a copy of the
 * compiled program that writes with the schemas of 0.2.0 as they are kept in `test/golden`, knows
 * nothing above level 2, and reads through them: what 0.2.0 had no place for isn't there for it, and a
 * command or event that came later is one that it doesn't know. It differs from the program of that
 * day in that it heeds the schema level, as every release from 0.3.0 on does.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../src/main/project-root.ts';
import { schemaJson, type SchemaName } from '../../../src/protocol/generated-schemas.ts';
import { schemaLevel } from '../../../src/protocol/schema-levels.ts';
import type { Json } from '../../../scripts/compose-avro-schemas.ts';
import { cutToRelease, namedTypes } from './cut-schema.ts';

/** The level of 0.2.0. */
export const formerLevel = 2;

const names = Object.keys(schemaJson) as readonly SchemaName[];

/** See the file header. `root` is the folder from which its processes are started. */
export interface FormerRelease {
  readonly root: string;
  remove(): void;
}

/** Makes the stand-in. Throws when the program has changed so that it cannot be made this way. */
export function makeFormerRelease(): FormerRelease {
  const root = mkdtempSync(join(tmpdir(), 'roomcell-0.2.0-'));
  const from = projectRoot();
  for (const name of ['dist/src', 'dist/test/e2e', 'config', 'migrations', 'package.json']) {
    cpSync(join(from, name), join(root, name), { recursive: true });
  }
  for (const name of ['node_modules', 'schemas']) symlinkSync(join(from, name), join(root, name));
  const protocol = join(root, 'dist', 'src', 'protocol');
  const written = Object.fromEntries(names.map((name) => [name, goldenJson(name)]));
  const read = Object.fromEntries(names.map((name) => [name, { json: readerJson(name) }]));
  writeFileSync(
    join(protocol, 'generated-schemas.js'),
    `export const schemaJson = ${JSON.stringify(written)};\n` +
      `export const readAs = ${JSON.stringify(read)};\n` +
      `const known = new Set(${JSON.stringify(knownNames())});\n` +
      'export const asKnown = (name) => (known.has(name) ? name : `later: ${name}`);\n',
  );
  edit(join(protocol, 'schema-levels.js'), [
    [`export const schemaLevel = ${schemaLevel};`, `export const schemaLevel = ${formerLevel};`],
  ]);
  edit(join(protocol, 'schema-book.js'), [
    ['import { schemaJson } from', 'import { readAs, schemaJson } from'],
    ['ownReader(schema))', 'foreignReader(schema.type, readAs))'],
    ['foreignReader(writer, this.own)', 'foreignReader(writer, readAs)'],
  ]);
  // Its readers go by name, and those of later releases are in the copy too.
  edit(join(protocol, 'wire-shape.js'), [
    [
      'import { WireFault }',
      "import { asKnown } from './generated-schemas.js';\nimport { WireFault }",
    ],
    [
      "{ name: name.slice(name.lastIndexOf('.') + 1), value }",
      "{ name: asKnown(name.slice(name.lastIndexOf('.') + 1)), value }",
    ],
  ]);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The kinds of records that 0.2.0 had, without the namespace. */
function knownNames(): readonly string[] {
  const all = names.flatMap((name) => [...namedTypes(JSON.parse(goldenJson(name)) as Json).keys()]);
  return all.map((name) => name.replace(/^.*\./, ''));
}

/** What 0.2.0 wrote with. It had no displays: those of the copy are of this release. */
function goldenJson(name: SchemaName): string {
  const file = join(projectRoot(), 'test', 'golden', '0.2.0', `${name}.avsc`);
  if (!existsSync(file)) return schemaJson[name];
  return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
}

/** The program's own schema, for its mapping, without what 0.2.0 could not have told apart. */
function readerJson(name: SchemaName): string {
  return JSON.stringify(
    cutToRelease(JSON.parse(schemaJson[name]) as Json, JSON.parse(goldenJson(name)) as Json),
  );
}

/** Each text stands in the file exactly once, or the stand-in would be something else. */
function edit(file: string, changes: readonly (readonly [string, string])[]): void {
  let text = readFileSync(file, 'utf8');
  for (const [before, after] of changes) {
    const times = text.split(before).length - 1;
    if (times !== 1) throw new Error(`'${before}' stands ${times} times in ${file}`);
    text = text.replace(before, after);
  }
  writeFileSync(file, text);
}
