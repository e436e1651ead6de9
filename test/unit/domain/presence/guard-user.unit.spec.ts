/** The guard: who may hold access to the room's IM group and RTC room (ROOM-11, ROOM-20, RTC-3). */
import { describe, expect, it } from 'vitest';
import { guardUser } from '../../../../src/domain/presence/guard-user.ts';
import type { GivenRoom } from '../../../support/decider-spec.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  carol,
  closed,
  closing,
  created,
  deleted,
  joined,
  kicked,
  left,
  owner,
} from '../../../support/room-builders.ts';

const endMs = 5_000_000;
const history = [
  created(),
  [joined(alice), joined(bob)],
  left(bob),
  kicked(carol, { expiresAtMs: endMs }),
] as const;
const of = (room: GivenRoom, userId: typeof alice, nowMs = timeOf(9)) =>
  guardUser(room.state, userId, nowMs);

describe('When the room is active', () => {
  const room = given(...history);

  it('a present user may, and nobody else: not one who left, nor the owner from outside (ROOM-20)', () => {
    expect([of(room, alice), of(room, bob), of(room, owner)]).toEqual([
      null,
      'USER_NOT_PRESENT',
      'USER_NOT_PRESENT',
    ]);
  });

  it('a banned user is told of the ban until its end, and of the absence from then on (ROOM-20)', () => {
    expect(of(room, carol, endMs - 1)).toBe('USER_BANNED');
    expect(of(room, carol, endMs)).toBe('USER_NOT_PRESENT');
  });
});

describe('When the room is not active', () => {
  it('nobody may, whoever asks, and the room’s end is told before the user (ROOM-11)', () => {
    const ends = [
      given(...history, closing(90_000_000)),
      given(...history, closed({ finalOnlineCount: 1 })),
      given(...history, closed({ finalOnlineCount: 1 }), deleted()),
    ];
    for (const room of ends) {
      expect([alice, bob, carol].map((userId) => of(room, userId))).toEqual([
        'ROOM_CLOSED',
        'ROOM_CLOSED',
        'ROOM_CLOSED',
      ]);
    }
    expect(of(given(), alice)).toBe('ROOM_NOT_FOUND');
  });
});
