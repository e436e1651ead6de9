/**
 * Schemas only grow. Goal: whoever changes a schema so that bytes of a former release, or a former
 * release during an upgrade, could not be read any more, sees it here before it is released. Method:
 * every released schema is compared with ours, and one break of each kind is made on purpose.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../scripts/compose-avro-schemas.ts';
import { schemaBreaks } from '../../../scripts/schema-breaks.ts';
import { parseAvroType } from '../../../src/protocol/avro-types.ts';
import { schemaJson } from '../../../src/protocol/generated-schemas.ts';
import { widenReader } from '../../../src/protocol/widen-reader.ts';
import type { SchemaNode } from '../../../src/protocol/widen-reader.ts';

const goldenRoot = join(import.meta.dirname, '../../golden');
const releases = readdirSync(goldenRoot).sort();

/** Every root schema that a release wrote, by the name of its record. */
function releasedSchemas(release: string): Readonly<Record<string, Json>> {
  const folder = join(goldenRoot, release);
  const files = readdirSync(folder).filter((file) => file.endsWith('.avsc'));
  return Object.fromEntries(
    files.map((file) => {
      const json = readFileSync(join(folder, file), 'utf8');
      return [file.replace('.avsc', ''), JSON.parse(json) as Json];
    }),
  );
}

function ours(name: string): Json {
  const json = (schemaJson as Readonly<Record<string, string>>)[name];
  return json === undefined ? null : (JSON.parse(json) as Json);
}

function resolve(reader: Json, writer: Json): void {
  const widened = widenReader(reader as SchemaNode, writer as SchemaNode);
  parseAvroType(widened).createResolver(parseAvroType(writer));
}

describe.each(releases)('schemas of release %s', (release) => {
  const released = releasedSchemas(release);

  it.each(Object.keys(released))('keep every name, type, symbol and branch of %s', (name) => {
    expect(schemaBreaks(released[name] ?? null, ours(name))).toEqual([]);
  });

  it.each(Object.keys(released))('are read by us, and ours by that release: %s', (name) => {
    const theirs = released[name] ?? null;
    expect(() => resolve(ours(name), theirs)).not.toThrow();
    expect(() => resolve(theirs, ours(name))).not.toThrow();
  });

  it('are all there', () => {
    const since040 = release >= '0.4.0' ? ['DisplayEnvelope'] : [];
    expect(Object.keys(released).sort()).toEqual(
      [
        'CommandTopicRecord',
        'EventEnvelope',
        'LoggedEvents',
        'ReplyRecord',
        'ResultRecord',
        'RoomSnapshot',
        ...since040,
      ].sort(),
    );
  });
});

describe('what may change', () => {
  it.each<[string, Json]>([
    ['nothing', sample({})],
    ['a field more, wherever it stands', sample({ first: [field('ext', 'string', '')] })],
    ['a symbol at the end', sample({ symbols: ['UNKNOWN', 'left', 'stale', 'evicted'] })],
    ['a branch at the end', sample({ branches: ['null', user(), record('roomcell.Robot')] })],
    ['a word of explanation', { ...(sample({}) as object), doc: 'Somebody left.' }],
  ])('%s', (_, present) => {
    expect(schemaBreaks(sample({}), present)).toEqual([]);
  });
});

describe('a break is named', () => {
  const rows: readonly (readonly [string, Json, string])[] = [
    ['a field that is gone', sample({ without: 'seatNo' }), 'Left.seatNo is gone'],
    [
      'a field with another name, even if an alias remembers the old one',
      sample({ without: 'seatNo', first: [{ ...field('seat', 'int', 0), aliases: ['seatNo'] }] }),
      'Left.seatNo is gone',
    ],
    [
      'a field of another type, even one that Avro would promote',
      sample({ seatNo: field('seatNo', 'long', 0) }),
      'Left.seatNo was int and is long',
    ],
    [
      'a field that became a choice',
      sample({ seatNo: field('seatNo', ['int', 'null'], 0) }),
      'Left.seatNo was int and is a union',
    ],
    [
      'a lost logical type',
      sample({ at: 'long' }),
      'Left.atMs was long timestamp-millis and is long',
    ],
    [
      'another default, with which old bytes would be read',
      sample({ seatNo: field('seatNo', 'int', 1) }),
      'Left.seatNo had the default 0 and has 1',
    ],
    [
      'a new field that the former release cannot fill',
      sample({ first: [{ name: 'ext', type: 'string' }] }),
      'Left.ext has no default',
    ],
    [
      'a symbol that is gone',
      sample({ symbols: ['UNKNOWN', 'left'] }),
      'Reason had "stale" in place 2 and has none',
    ],
    [
      'a symbol in front of others',
      sample({ symbols: ['UNKNOWN', 'evicted', 'left', 'stale'] }),
      'Reason had "left" in place 1 and has "evicted"',
    ],
    [
      'a symbol of another name',
      sample({ symbols: ['UNKNOWN', 'gone', 'stale'] }),
      'Reason had "left" in place 1 and has "gone"',
    ],
    [
      'another fallback of an enum',
      sample({ fallback: 'left' }),
      'Reason fell back to "UNKNOWN" and falls back to "left"',
    ],
    ['a branch that is gone', sample({ branches: ['null'] }), 'Left.who has no branch 1 any more'],
    [
      'a branch in front of others',
      sample({ branches: ['null', record('roomcell.Robot'), user()] }),
      'Left.who branch 1 was record roomcell.User and is record roomcell.Robot',
    ],
    [
      'a choice that became one type',
      sample({ branches: user() }),
      'Left.who was a union and is record roomcell.User',
    ],
    ['a type within a list', sample({ items: 'int' }), 'Left.tags[] was string and is int'],
    [
      'a change within a type that is used in several places',
      sample({ branches: ['null', record('roomcell.User')] }),
      'User.userId is gone',
    ],
    [
      'a record that became another',
      record('roomcell.Gone'),
      'Left was record roomcell.Left and is record roomcell.Gone',
    ],
    ['a record that is gone', null, 'Left was record roomcell.Left and is nothing'],
  ];

  it.each(rows)('%s', (_, present, broken) => {
    expect(schemaBreaks(sample({}), present)).toContain(broken);
  });
});

interface SampleParts {
  readonly first?: readonly Json[];
  readonly without?: string;
  readonly seatNo?: Json;
  readonly at?: Json;
  readonly symbols?: readonly string[];
  readonly fallback?: string;
  readonly branches?: Json;
  readonly items?: Json;
}

/** A record with one field of each kind, changed in the named parts. */
function sample(parts: SampleParts): Json {
  const { symbols = ['UNKNOWN', 'left', 'stale'], fallback = 'UNKNOWN' } = parts;
  const reason = { type: 'enum', name: 'roomcell.Reason', symbols, default: fallback };
  const fields = [
    ...(parts.first ?? []),
    parts.seatNo ?? field('seatNo', 'int', 0),
    field('atMs', parts.at ?? { type: 'long', logicalType: 'timestamp-millis' }, 0),
    field('reason', reason, 'UNKNOWN'),
    field('who', parts.branches ?? ['null', user()], null),
    field('tags', { type: 'array', items: parts.items ?? 'string' }, []),
  ];
  const kept = fields.filter((held) => (held as { name: string }).name !== parts.without);
  return record('roomcell.Left', kept);
}

function user(): Json {
  return record('roomcell.User', [field('userId', 'string', '')]);
}

function record(name: string, fields: readonly Json[] = []): Json {
  return { type: 'record', name, fields };
}

function field(name: string, type: Json, fallback: Json): { readonly [key: string]: Json } {
  return { name, type, default: fallback };
}
