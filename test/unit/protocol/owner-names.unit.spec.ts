import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { imGroupId } from '../../../src/protocol/im-group-id.ts';
import {
  compareLeaseTokens,
  leaseToken,
  parseLeaseToken,
} from '../../../src/protocol/lease-token.ts';
import { writerLockName } from '../../../src/protocol/lock-name.ts';

const group = (app: string, room: string): string => imGroupId(app as AppCode, room as RoomId);
const wideId = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,64}$/);

describe('leaseToken', () => {
  it('comes back with every digit', () => {
    const token = leaseToken(9007199254740993n, 9007199254740995n);
    expect(token).toBe('9007199254740993.9007199254740995');
    expect(parseLeaseToken(token)).toEqual({
      epoch: 9007199254740993n,
      counter: 9007199254740995n,
    });
  });

  it.each(['', '1', '1.', '.1', '1.2.3', '-1.2', '01.2', '1.02', '1e3.2', ' 1.2', '1.2 ', 'x.y'])(
    'is not read from %j',
    (text) => {
      expect(parseLeaseToken(text)).toBeNull();
    },
  );

  it('is newer by epoch first, by counter within one epoch', () => {
    const old = { epoch: 9n, counter: 100n };
    expect(compareLeaseTokens(old, { epoch: 10n, counter: 0n })).toBeLessThan(0);
    expect(compareLeaseTokens(old, { epoch: 9n, counter: 99n })).toBeGreaterThan(0);
    expect(compareLeaseTokens(old, { epoch: 9n, counter: 101n })).toBeLessThan(0);
    expect(compareLeaseTokens(old, { ...old })).toBe(0);
  });
});

describe('writerLockName', () => {
  it('is rc: and 40 digits of the digest over the parts', () => {
    const digest = createHash('sha256').update('rooms\0i-7\x000').digest('hex');
    expect(writerLockName('rooms', 'i-7', 0)).toBe(`rc:${digest.slice(0, 40)}`);
  });

  it('differs by database, incarnation and lane, and fits MySQL’s 64 characters', () => {
    const names = [
      writerLockName('rooms', 'i-7', 0),
      writerLockName('rooms', 'i-7', 1),
      writerLockName('rooms', 'i-8', 0),
      writerLockName('rooms2', 'i-7', 0),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^rc:[0-9a-f]{40}$/);
  });
});

describe('imGroupId', () => {
  it('is readable when it fits', () => {
    expect(group('hy', 'room_1')).toBe('rc_hy_room_1');
  });

  it('is hashed when the plain form is too long or the app code holds an underscore', () => {
    expect(group('hy', 'r'.repeat(42))).toHaveLength(48);
    expect(group('hy', 'r'.repeat(43))).toMatch(/^rc_[0-9a-f]{40}$/);
    expect(group('h_y', 'r')).toMatch(/^rc_[0-9a-f]{40}$/);
  });

  it('keeps rooms apart whose parts join to one text', () => {
    expect(group('a_b', 'c')).not.toBe(group('a', 'b_c'));
  });

  it('keeps upper and lower case apart', () => {
    expect(group('hy', 'Room')).not.toBe(group('hy', 'room'));
  });

  it('obeys the vendor’s rule and never names two rooms alike', () => {
    fc.assert(
      fc.property(wideId, wideId, wideId, wideId, (app, room, otherApp, otherRoom) => {
        const id = group(app, room);
        expect(id).toMatch(/^[\x20-\x7e]{1,48}$/);
        expect(id.startsWith('@TGS#')).toBe(false);
        const same = app === otherApp && room === otherRoom;
        expect(id === group(otherApp, otherRoom)).toBe(same);
      }),
    );
  });
});
