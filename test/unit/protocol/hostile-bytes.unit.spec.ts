/**
 * Bytes that nobody of ours wrote: cut, changed, random, or made to hurt. The answer is a fault, soon
 * and without an exception; a record that stops a process would stop it again after each restart.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodec } from '../../../src/protocol/codec.ts';
import type { Decoded } from '../../../src/protocol/records.ts';
import {
  commands,
  displays,
  envelopes,
  events,
  replies,
  results,
  snapshots,
} from '../../golden/0.4.0/samples.ts';

const codec = createCodec();

interface Target {
  readonly name: string;
  readonly bytes: readonly Uint8Array[];
  readonly decode: (bytes: Uint8Array) => Decoded<unknown>;
}

const targets: readonly Target[] = [
  { name: 'command', bytes: commands.map(codec.encodeCommand), decode: codec.decodeCommand },
  { name: 'result', bytes: results.map(codec.encodeResult), decode: codec.decodeResult },
  { name: 'reply', bytes: replies.map(codec.encodeReply), decode: codec.decodeReply },
  { name: 'envelope', bytes: envelopes.map(codec.encodeEnvelope), decode: codec.decodeEnvelope },
  {
    name: 'log row',
    bytes: [codec.encodeLoggedEvents(events)],
    decode: codec.decodeLoggedEvents,
  },
  { name: 'display', bytes: displays.map(codec.encodeDisplay), decode: codec.decodeDisplay },
  { name: 'snapshot', bytes: snapshots.map(codec.encodeSnapshot), decode: codec.decodeSnapshot },
];

const headerLength = 10;

describe.each(targets)('bytes that look like a $name', ({ bytes, decode }) => {
  it('are a fault wherever they are cut', () => {
    for (const whole of bytes) {
      for (let length = 0; length < whole.length; length += 1) {
        expect(decode(whole.subarray(0, length)), `cut at ${length}`).toMatchObject({ ok: false });
      }
    }
  });

  it('are a fault with a byte too many', () => {
    for (const whole of bytes) {
      expect(decode(Buffer.concat([whole, Buffer.from([0])]))).toEqual({
        ok: false,
        fault: '1 bytes too many',
      });
    }
  });

  it('never throw when bytes are changed', () => {
    const change = fc.record({ pick: fc.nat(), at: fc.nat(), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const whole = Uint8Array.from(bytes[(changes[0]?.pick ?? 0) % bytes.length]!);
        for (const { at, value } of changes) {
          whole[headerLength + (at % Math.max(1, whole.length - headerLength))] = value;
        }
        expect(typeof decode(whole).ok).toBe('boolean');
      }),
    );
  });

  it('never throw when the body is random', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        const header = bytes[0]!.subarray(0, headerLength);
        expect(typeof decode(Buffer.concat([header, body])).ok).toBe('boolean');
      }),
    );
  });

  it('never throw when all is random', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (random) => {
        expect(decode(random)).toMatchObject({ ok: false });
        expect(typeof codec.unknownFingerprint(random)).toMatch(/string|object/);
      }),
    );
  });
});

describe('bytes made to hurt', () => {
  const logHeader = codec.encodeLoggedEvents([]).subarray(0, headerLength);
  const withCount = (...count: readonly number[]): Uint8Array =>
    Buffer.concat([logHeader, Buffer.from(count)]);

  it('that claim two billion items are refused before anything is allocated', () => {
    const startedAt = process.hrtime.bigint();
    // Counts 2^31 − 1 and, as a block with its length in front, −(2^31 − 1).
    for (const bytes of [
      withCount(0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 0),
      withCount(0xfd, 0xff, 0xff, 0xff, 0x0f, 2, 0, 0),
    ]) {
      const decoded = codec.decodeLoggedEvents(bytes);
      expect(decoded.ok ? '' : decoded.fault).toMatch(/^a list of 2147483647 is cut$/);
    }
    expect(process.hrtime.bigint() - startedAt).toBeLessThan(1_000_000_000n);
  });

  it('that never end a number are refused', () => {
    const endless = withCount(...Array.from({ length: 12 }, () => 0x80));
    expect(codec.decodeLoggedEvents(endless)).toEqual({
      ok: false,
      fault: 'a number of more than ten bytes',
    });
  });

  it('with a branch or symbol that no schema has are refused', () => {
    expect(codec.decodeLoggedEvents(withCount(2, 126, 0))).toEqual({
      ok: false,
      fault: 'union branch 63 does not exist',
    });
  });

  it('with the null that nobody writes are refused', () => {
    expect(codec.decodeLoggedEvents(withCount(2, 0, 0))).toEqual({
      ok: false,
      fault: 'unknown event type null',
    });
  });
});

describe('bytes of another record', () => {
  it('are a fault that names both', () => {
    expect(codec.decodeCommand(codec.encodeResult(results[0]!))).toEqual({
      ok: false,
      fault: 'a ResultRecord instead of a CommandTopicRecord',
    });
  });

  it('that are no single-object encoding at all are told apart', () => {
    for (const text of ['', '{}', '\u00c3\u0001']) {
      const bytes = Buffer.from(text, 'latin1');
      expect(codec.decodeCommand(bytes)).toEqual({
        ok: false,
        fault: 'not a single-object record',
      });
      expect(codec.unknownFingerprint(bytes)).toBeNull();
    }
  });

  it('are read from a view into a larger buffer', () => {
    const bytes = codec.encodeCommand(commands[0]!);
    const outer = new Uint8Array(bytes.length + 7);
    outer.set(bytes, 5);
    const view = outer.subarray(5, 5 + bytes.length);
    expect(codec.decodeCommand(view)).toEqual({ ok: true, value: commands[0] });
  });
});
