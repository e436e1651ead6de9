import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/kernel/assert.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import {
  heartbeatKey,
  murmur2,
  partitionKeyBytes,
  partitionOf,
} from '../../../src/protocol/partition.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const key = (app: string, room: string) => roomKeyOf(app as AppCode, room as RoomId);

/** Published with the Java client's own tests. */
const javaVectors: readonly (readonly [string, number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
];

describe('murmur2', () => {
  it.each(javaVectors)('of %s is what the Java client computes', (text, hash) => {
    expect(murmur2(utf8(text))).toBe(hash);
  });

  it('agrees with the other client of the topic on any bytes', () => {
    const require = createRequire(import.meta.url);
    const other = require('kafkajs/src/producer/partitioners/default/murmur2') as (
      bytes: Buffer,
    ) => number;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(murmur2(bytes)).toBe(other(Buffer.from(bytes)) | 0);
      }),
    );
  });

  it('reads a view into a larger buffer from the view’s own start', () => {
    const outer = utf8('xxfoobarxx');
    expect(murmur2(outer.subarray(2, 8))).toBe(-790332482);
  });
});

describe('partitionOf', () => {
  it('is pinned for rooms, so that no release sends a room elsewhere', () => {
    const pinned = ['r1', 'r2', 'r3', 'r4', 'lobby'].map((room) =>
      partitionOf(key('hy', room), 64),
    );
    expect(pinned).toEqual([61, 48, 47, 34, 16]);
  });

  it('stays within the partitions, also for negative hashes', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1000 }), (room, count) => {
        const partition = partitionOf(key('app', room), count);
        expect(partition).toBeGreaterThanOrEqual(0);
        expect(partition).toBeLessThan(count);
        expect(partition).toBe((murmur2(partitionKeyBytes(key('app', room))) & 0x7fffffff) % count);
      }),
    );
  });

  it('spreads rooms over all partitions', () => {
    const hit = new Set(
      Array.from({ length: 1000 }, (_, i) => partitionOf(key('hy', `r${i}`), 32)),
    );
    expect(hit.size).toBe(32);
  });

  it('refuses a partition count that no topic has', () => {
    for (const count of [0, -1, 1.5, Number.NaN]) {
      expect(() => partitionOf(key('hy', 'r1'), count)).toThrow(InvariantError);
    }
  });
});

describe('record keys', () => {
  it('are the UTF-8 bytes of app, NUL, room (LEASE-9)', () => {
    expect(partitionKeyBytes(key('hy', 'r1')).toString('hex')).toBe('6879007231');
  });

  it('of heartbeat folds can be no room’s key', () => {
    expect(heartbeatKey).toBe('hb');
    expect(heartbeatKey).not.toContain('\0');
  });
});
