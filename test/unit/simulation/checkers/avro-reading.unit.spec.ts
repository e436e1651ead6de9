/** The checkers' own reading of bytes, against stored records of a release. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  readRecord,
  recordNameOf,
  writeRecord,
} from '../../../simulation/checkers/avro-reading.ts';

const golden = new URL('../../../golden/0.4.0/', import.meta.url);
const files = readdirSync(golden).filter((file) => file.endsWith('.hex'));

function stored(file: string): Buffer {
  return Buffer.from(readFileSync(new URL(file, golden), 'utf8').replaceAll(/\s/g, ''), 'hex');
}

describe('the reading of stored bytes', () => {
  it('knows every record of the release and writes it back byte for byte', () => {
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const bytes = stored(file);
      const name = recordNameOf(bytes);
      expect(name, file).not.toBeNull();
      if (name !== null) expect(writeRecord(name, readRecord(name, bytes)), file).toEqual(bytes);
    }
  });

  it('takes no record for another one', () => {
    expect(() => readRecord('EventEnvelope', stored('snapshot-0.hex'))).toThrow('no EventEnvelope');
  });

  it('reads longs as bigints and leaves the secret out of envelopes', () => {
    const created = readRecord<{ roomVersion: bigint; event: object }>(
      'EventEnvelope',
      stored('envelope-0.hex'),
    );
    expect(typeof created.roomVersion).toBe('bigint');
    const [event] = Object.values(created.event) as object[];
    expect(event).toMatchObject({ seatCount: expect.any(Number) });
    expect(event).not.toHaveProperty('passwordHash');
  });
});
