/**
 * Bytes of every release, kept for ever: logs, outbox rows and snapshots of each are still read
 * after an upgrade. A new release gets a folder of its own (`npx vitest run` writes the missing
 * files of the present one); an existing file never changes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import type { RoomState } from '../../../src/domain/room/state.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { schemaJson } from '../../../src/protocol/generated-schemas.ts';
import type { SchemaName } from '../../../src/protocol/generated-schemas.ts';
import { payloadHash } from '../../../src/protocol/payload-hash.ts';
import type { CommandTopicRecord, Decoded } from '../../../src/protocol/records.ts';
import * as release010 from '../../golden/0.1.0/samples.ts';
import * as release020 from '../../golden/0.2.0/samples.ts';
import * as release030 from '../../golden/0.3.0/samples.ts';
import * as release040 from '../../golden/0.4.0/samples.ts';

const goldenRoot = join(import.meta.dirname, '../../golden');
const codec = createCodec();

interface GoldenSample {
  readonly file: string;
  readonly value: unknown;
  readonly encode: () => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Decoded<unknown>;
}

/** What every release's `samples.ts` gives. */
type Samples = Pick<
  typeof release010,
  'commands' | 'results' | 'replies' | 'envelopes' | 'events' | 'snapshots'
> &
  // Since 0.4.0.
  Partial<Pick<typeof release040, 'displays'>>;

function samplesOf(samples: Samples): readonly GoldenSample[] {
  const { commands, results, replies, envelopes, events, snapshots, displays = [] } = samples;
  return [
    ...each('command', commands, codec.encodeCommand, codec.decodeCommand),
    ...each('result', results, codec.encodeResult, codec.decodeResult),
    ...each('reply', replies, codec.encodeReply, codec.decodeReply),
    ...each('envelope', envelopes, codec.encodeEnvelope, codec.decodeEnvelope),
    ...each('logged-events', [events], codec.encodeLoggedEvents, codec.decodeLoggedEvents),
    ...each('snapshot', snapshots, codec.encodeSnapshot, codec.decodeSnapshot),
    ...each('display', displays, codec.encodeDisplay, codec.decodeDisplay),
  ];
}

function each<T>(
  kind: string,
  values: readonly T[],
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => Decoded<T>,
): readonly GoldenSample[] {
  return values.map((value, index) => ({
    file: `${kind}-${index}.hex`,
    value,
    encode: () => encode(value),
    decode,
  }));
}

/** One line per command: a retry after an upgrade must be the same command still. */
const hashFile = 'payload-hashes.txt';

function hashesOf(records: readonly CommandTopicRecord[]): string {
  const commands = records.filter((record) => record.kind === 'command');
  return commands
    .map(
      (record) => `${Buffer.from(payloadHash(record).hash).toString('hex')} ${record.body.type}\n`,
    )
    .join('');
}

const releases = [
  { release: '0.1.0', values: release010 },
  { release: '0.2.0', values: release020 },
  { release: '0.3.0', values: release030 },
  { release: '0.4.0', values: release040 },
].map(({ release, values }) => ({ release, values, samples: samplesOf(values) }));
const present = '0.4.0';

describe.each(releases)('bytes of release $release', ({ release, values, samples }) => {
  const folder = join(goldenRoot, release);

  it('are read with the schemas that lie beside them, to the values that were written', () => {
    for (const file of filesOf(folder, '.avsc')) {
      codec.learnSchema(readFileSync(join(folder, file), 'utf8'));
    }
    for (const { file, value, decode } of samples) {
      const hex = readFileSync(join(folder, file), 'utf8').replaceAll(/\s/g, '');
      expect(decode(Buffer.from(hex, 'hex')), file).toEqual({ ok: true, value });
    }
  });

  it('belong to commands that have the payload hash they had then', () => {
    const stored = readFileSync(join(folder, hashFile), 'utf8');
    expect(hashesOf(values.commands)).toBe(stored);
  });

  it('lie there for every sample and nothing else', () => {
    expect(filesOf(folder, '.hex')).toEqual(samples.map(({ file }) => file).sort());
  });
});

describe('the present release', () => {
  const samples = releases.find(({ release }) => release === present)?.samples ?? [];

  it.each(samples)('writes $file as it did when the file was made', async ({ file, encode }) => {
    const hex = Buffer.from(encode()).toString('hex');
    const lines = hex.replaceAll(/.{1,64}/g, '$&\n');
    await expect(lines).toMatchFileSnapshot(join(goldenRoot, present, file));
  });

  it('tells commands apart by the hashes that lie beside them', async () => {
    const hashes = hashesOf(release040.commands);
    await expect(hashes).toMatchFileSnapshot(join(goldenRoot, present, hashFile));
  });

  it.each(codec.writerSchemas)('writes by the $name that lies beside them', async (schema) => {
    const indented = JSON.stringify(JSON.parse(schema.json), null, 2);
    const text = await format(indented, { parser: 'json', printWidth: 100 });
    const file = join(goldenRoot, present, `${schema.name}.avsc`);
    await expect(text).toMatchFileSnapshot(file);
  });
});

describe('the samples of the present release', () => {
  const bodies = release040.commands.flatMap((record) =>
    record.kind === 'command' ? [record.body.type] : [],
  );

  it('have every command, every event, every display and every kind of record and reply', () => {
    const branches = (name: SchemaName, field: string): readonly string[] =>
      branchesOf(JSON.parse(schemaJson[name]), field).sort();
    const kinds = (list: readonly string[]): readonly string[] => [...new Set(list)].sort();
    expect(kinds(bodies)).toEqual(branches('CommandTopicRecord', 'body'));
    const logged = release040.events.map(({ type }) => type);
    expect(kinds(logged)).toEqual(branches('LoggedEvents', 'events'));
    const enveloped = release040.envelopes.map(({ eventType }) => eventType);
    expect(kinds(enveloped)).toEqual(branches('EventEnvelope', 'event'));
    const shown = release040.displays.map(({ displayType }) => displayType);
    expect(kinds(shown)).toEqual(branches('DisplayEnvelope', 'display'));
    expect(kinds(release040.replies.map(({ kind }) => kind))).toHaveLength(
      branches('ReplyRecord', 'content').length,
    );
  });

  it('have something in every table of a state', () => {
    const states = release040.snapshots.map(({ state }) => state);
    const [sample] = states;
    for (const part of Object.keys(sample ?? {}) as (keyof RoomState)[]) {
      const filled = states.some((state) => !isEmptyPart(state[part]));
      expect(filled, part).toBe(true);
    }
  });
});

describe('releases', () => {
  it('all have their golden folder read here', () => {
    const folders = readdirSync(goldenRoot).sort();
    expect(releases.map(({ release }) => release).sort()).toEqual(folders);
  });
});

/** Names of the records in the union that a field called `field` holds, itself or in its items. */
function branchesOf(schema: unknown, field: string): string[] {
  const found: string[] = [];
  JSON.stringify(schema, (_, node: { name?: unknown; type?: unknown } | null) => {
    if (node?.name !== field) return node;
    const held = node.type as { items?: unknown };
    const union = (held.items ?? held) as readonly { readonly name: string }[];
    for (const { name } of union.slice(1)) found.push(name.replace('roomcell.', ''));
    return node;
  });
  return found;
}

function isEmptyPart(part: RoomState[keyof RoomState]): boolean {
  if (part === null || part === '' || part === 0n || part === 0) return true;
  if (typeof part === 'object' && 'size' in part) return part.size === 0;
  return Array.isArray(part) && part.length === 0;
}

function filesOf(folder: string, ending: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort();
}
