/** The identities and the rules of their texts (decision 17, LEASE-9). */
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId, RoomVersion } from '../../../src/domain/ids.ts';
import {
  commandIdFault,
  giftIdFault,
  nextRoomVersion,
  roomKeyOf,
  splitRoomKey,
  userIdFault,
  wideIdFault,
} from '../../../src/domain/ids.ts';

describe('Texts of ids', () => {
  it.each([
    ['app code and room id', wideIdFault],
    ['gift id', giftIdFault],
    ['command id', commandIdFault],
  ])('%s: 1 to 64 letters, digits and _ . : -', (_what, faultOf) => {
    expect(['a', 'A.b:c-d_9', 'x'.repeat(64)].map(faultOf)).toEqual([null, null, null]);
    expect(faultOf('')).toBe('missing');
    for (const text of ['x'.repeat(65), 'a b', 'ä', 'a\0', 'a\n', 'a/b']) {
      expect(faultOf(text)).toBe('malformed');
    }
  });

  it('user id: 1 to 32 letters, digits, _ and -', () => {
    expect(['a', 'A-b_9', 'x'.repeat(32)].map(userIdFault)).toEqual([null, null, null]);
    expect(userIdFault('')).toBe('missing');
    for (const text of ['x'.repeat(33), 'a.b', 'a:b', 'a\n']) {
      expect(userIdFault(text)).toBe('malformed');
    }
  });

  it('the prefixes of our own command ids are nobody else’s', () => {
    expect(['sys:x', 'rtc:x', 'robot:1', 'sysx', 'a-sys:x'].map(commandIdFault)).toEqual([
      'reserved',
      'reserved',
      'reserved',
      null,
      null,
    ]);
  });
});

describe('Room keys', () => {
  it('hold app and room apart, and give both back (ARC-19, LEASE-9)', () => {
    const parts = { appCode: 'a:b' as AppCode, roomId: 'c' as RoomId };
    const other = { appCode: 'a' as AppCode, roomId: 'b:c' as RoomId };
    const key = roomKeyOf(parts.appCode, parts.roomId);
    expect(key).not.toBe(roomKeyOf(other.appCode, other.roomId));
    expect(splitRoomKey(key)).toEqual(parts);
    expect(splitRoomKey(roomKeyOf(other.appCode, other.roomId))).toEqual(other);
  });
});

describe('Room versions', () => {
  it('step by one, beyond what a number could count (PIPE-16)', () => {
    expect(nextRoomVersion((2n ** 53n) as RoomVersion)).toBe(2n ** 53n + 1n);
  });
});
