import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeSchemas, readSchemaFolder } from '../../../scripts/compose-avro-schemas.ts';
import type { JsonObject } from '../../../scripts/compose-avro-schemas.ts';
import { readSchemasModule, renderSchemasModule } from '../../../scripts/generate-avro-schemas.ts';
import { parseAvroType } from '../../../src/protocol/avro-types.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { schemaJson } from '../../../src/protocol/generated-schemas.ts';
import { canonicalForm } from '../../../src/protocol/schema-book.ts';
import { fingerprintBytes, rabinFingerprint } from '../../../src/protocol/schema-fingerprint.ts';

const root = join(import.meta.dirname, '../../..');

function folderOf(type: JsonObject): Parameters<typeof composeSchemas>[0] {
  return { roots: ['roomcell.Sample'], types: new Map([['roomcell.Sample', type]]) };
}

describe('schema fingerprints', () => {
  it.each([
    ['"int"', 0x7275d51a3f395c8fn],
    ['"string"', 0x8f014872634503c7n],
    ['"long"', 0xd054e14493f41db7n],
  ] as const)('of %s is the published one', (schema, fingerprint) => {
    expect(rabinFingerprint(schema)).toBe(fingerprint);
  });

  it('go out least significant byte first', () => {
    const bytes = fingerprintBytes(rabinFingerprint('"int"'));
    expect(bytes.toString('hex')).toBe('8f5c393f1ad57572');
  });

  it('are computed over the canonical form: no docs, defaults or logical types', () => {
    const type = parseAvroType({
      type: 'record',
      name: 'Sample',
      namespace: 'roomcell',
      doc: 'left out',
      fields: [
        { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' }, default: 0 },
        { name: 'big', type: 'long', default: 0 },
        { name: 'text', type: 'string', default: '' },
      ],
    });
    expect(canonicalForm(type)).toBe(
      '{"name":"roomcell.Sample","type":"record","fields":[{"name":"at","type":"long"},' +
        '{"name":"big","type":"long"},{"name":"text","type":"string"}]}',
    );
  });

  it('differ between all schemas of this release', () => {
    const { writerSchemas } = createCodec();
    expect(writerSchemas.map(({ name }) => name).sort()).toEqual(Object.keys(schemaJson).sort());
    expect(new Set(writerSchemas.map(({ fingerprint }) => fingerprint)).size).toBe(7);
    for (const { fingerprint } of writerSchemas) expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('the generated module', () => {
  it('is what the schema files give: run the generator after changing one', async () => {
    expect(readSchemasModule(root)).toBe(await renderSchemasModule(root));
  });

  it('has no place for a secret in the envelope, and has one in the log', () => {
    const { types } = readSchemaFolder(join(root, 'schemas/avro'));
    const secrets = [...types.values()].flatMap((type) =>
      ((type['fields'] ?? []) as readonly JsonObject[])
        .filter(({ secret }) => secret === true)
        .map(({ name }) => JSON.stringify(name)),
    );
    expect(new Set(secrets)).toEqual(new Set(['"passwordHash"']));
    for (const secret of secrets) {
      expect(schemaJson.EventEnvelope).not.toContain(secret);
      expect(schemaJson.LoggedEvents).toContain(secret);
    }
  });

  it('marks as secret whatever an event keeps of a password', () => {
    const fields = [...schemaJson.EventEnvelope.matchAll(/"name":"([a-z]\w*)"/g)].map(
      ([, name]) => name,
    );
    expect(fields).toContain('passwordVersion');
    const suspect = fields.filter((name) =>
      /hash|secret|token|password(?!Version)/i.test(name ?? ''),
    );
    expect(suspect).toEqual([]);
  });
});

describe('composing schemas', () => {
  const field = { name: 'seatNo', type: 'int' };

  it('refuses a field without a default, which the other release could not fill', () => {
    const folder = folderOf({ type: 'record', name: 'Sample', fields: [field] });
    expect(() => composeSchemas(folder)).toThrow('roomcell.Sample.seatNo has no default');
  });

  it('refuses an enum that an older reader could not resolve', () => {
    const folder = folderOf({ type: 'enum', name: 'Sample', symbols: ['left'] });
    expect(() => composeSchemas(folder)).toThrow('roomcell.Sample must begin with UNKNOWN');
  });

  it('refuses a type that no file holds', () => {
    const fields = [{ name: 'user', type: 'roomcell.User', default: {} }];
    const folder = folderOf({ type: 'record', name: 'Sample', fields });
    expect(() => composeSchemas(folder)).toThrow('no schema file holds roomcell.User');
  });

  it('leaves out secret fields only below a root that says so', () => {
    const secret = { name: 'hash', type: 'string', default: '', secret: true };
    const record = { type: 'record', name: 'Sample', fields: [secret] };
    expect(composeSchemas(folderOf(record))[0]?.json).toContain('hash');
    const outgoing = { ...record, omitSecrets: true };
    expect(composeSchemas(folderOf(outgoing))[0]?.json).not.toContain('hash');
  });
});
