/** The end of the guard's yes, read off events alone (ROOM-20); random rooms compare it with the guard. */
import { describe, expect, it } from 'vitest';
import { guardAfter } from '../../../../src/domain/presence/guard-after.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import {
  alice,
  bob,
  closed,
  closing,
  deleted,
  joined,
  kicked,
  left,
  owner,
} from '../../../support/room-builders.ts';

const evicted: RoomEvent = {
  type: 'RoomUserEvicted',
  userId: alice,
  byUserId: owner,
  reason: 'abuse',
};
const stale: RoomEvent = { type: 'RoomUsersStaleLeft', userIds: [bob, alice] };

describe('When the events of a command are about the user', () => {
  it.each([
    ['a leave', [left(alice)], 'USER_NOT_PRESENT'],
    ['a sweep', [stale], 'USER_NOT_PRESENT'],
    ['a kick, which explains the leave before it', [left(alice), kicked(alice)], 'USER_BANNED'],
    ['an eviction, which does, too', [left(alice), evicted], 'USER_PLATFORM_BANNED'],
  ])('%s ends the yes', (_, events, end) => {
    expect(guardAfter(events, alice)).toBe(end);
  });
});

describe('When they are about somebody else', () => {
  it.each([
    ['a leave', [left(bob)]],
    ['a kick', [left(bob), kicked(bob)]],
    ['a join', [joined(alice)]],
    ['nothing', []],
  ])('%s leaves the yes as it was', (_, events) => {
    expect(guardAfter(events, alice)).toBeNull();
  });
});

describe('When they are about the room’s end', () => {
  it.each([
    ['the beginning of it', [closing(90_000_000)]],
    ['the end, told before the leaves', [left(alice), closed({ finalOnlineCount: 1 })]],
    ['the deletion', [deleted()]],
  ])('%s ends the yes for everybody', (_, events) => {
    expect(guardAfter(events, alice)).toBe('ROOM_CLOSED');
  });
});
