import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/kernel/assert.ts';
import type { EventId } from '../../../src/domain/ids.ts';
import { crc32c, crc32cHex } from '../../../src/protocol/crc32c.ts';
import { chainHash, chainHashBytes, chainStart } from '../../../src/protocol/event-chain.ts';
import { messageRandom } from '../../../src/protocol/message-random.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('crc32c', () => {
  it('gives the published check value', () => {
    expect(crc32cHex(utf8('123456789'))).toBe('e3069283');
  });

  it('gives the published values of 32 zero bytes and 32 bytes of ones', () => {
    expect(crc32cHex(new Uint8Array(32))).toBe('8a9136aa');
    expect(crc32cHex(new Uint8Array(32).fill(0xff))).toBe('62a8ab43');
  });

  it('is eight digits, also when the checksum begins with zeros', () => {
    expect(crc32cHex(new Uint8Array(0))).toBe('00000000');
    fc.assert(fc.property(fc.uint8Array(), (bytes) => /^[0-9a-f]{8}$/.test(crc32cHex(bytes))));
  });

  it('sees every changed bit', () => {
    const flip = fc.record({
      bytes: fc.uint8Array({ minLength: 1 }),
      at: fc.nat(),
      bit: fc.nat(7),
    });
    fc.assert(
      fc.property(flip, ({ bytes, at, bit }) => {
        const changed = Uint8Array.from(bytes);
        const index = at % bytes.length;
        changed[index] = (bytes[index] ?? 0) ^ (1 << bit);
        expect(crc32c(changed)).not.toBe(crc32c(bytes));
      }),
    );
  });
});

describe('chainHash', () => {
  it('is SHA-256 of the previous link and the bytes', () => {
    const expected = createHash('sha256').update(Buffer.alloc(32)).update('abc').digest('hex');
    expect(Buffer.from(chainHash(chainStart, utf8('abc'))).toString('hex')).toBe(expected);
  });

  it('starts at zeros', () => {
    expect(chainStart).toEqual(new Uint8Array(chainHashBytes));
  });

  it('depends on order', () => {
    const forth = chainHash(chainHash(chainStart, utf8('a')), utf8('b'));
    const back = chainHash(chainHash(chainStart, utf8('b')), utf8('a'));
    expect(forth).not.toEqual(back);
  });

  it('refuses a previous link of another length', () => {
    expect(() => chainHash(new Uint8Array(31), utf8('a'))).toThrow(InvariantError);
  });
});

describe('messageRandom', () => {
  it('is pinned and an unsigned 32-bit number', () => {
    const random = messageRandom('0f7c1f2e-0000-5000-8000-000000000000' as EventId);
    expect(random).toBe(2010051642);
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const number = messageRandom(id as EventId);
        expect(Number.isInteger(number) && number >= 0 && number <= 0xffffffff).toBe(true);
      }),
    );
  });
});
