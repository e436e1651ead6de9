/** Every room invariant fires on a state that breaks it, and on no other (INV-26, 28, 29). */
import { describe, expect, it } from 'vitest';
import type { RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import { checkRoomInvariants } from '../../../../src/domain/room/invariants.ts';
import type { MicOccupancy, MicSeat, RoomState } from '../../../../src/domain/room/state.ts';
import { assertDefined } from '../../../../src/kernel/assert.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  asSession,
  bob,
  closed,
  created,
  joined,
  on,
  publishing,
  wentUp,
} from '../../../support/room-builders.ts';

const absent = given().state;
const active = given(
  created(),
  [joined(alice), joined(bob)],
  wentUp(on(1, alice, 3), 90_000_000),
  wentUp(on(2, bob, 4), 90_000_000),
  publishing(on(2, bob, 4)),
).state;
const closedRoom = given(created(), closed()).state;

const version = (n: bigint): RoomVersion => n as RoomVersion;

function seatOf(state: RoomState, index: number): MicSeat {
  return assertDefined(state.seats[index], 'the history has this seat');
}

function withSeat(state: RoomState, index: number, fields: Partial<MicSeat>): RoomState {
  const seats = state.seats.map((seat, at) => (at === index ? { ...seat, ...fields } : seat));
  return { ...state, seats };
}

function withHolder(index: number, fields: Partial<MicOccupancy>): RoomState {
  const held = assertDefined(seatOf(active, index).occupancy, 'the history seats somebody here');
  return withSeat(active, index, { occupancy: { ...held, ...fields } });
}

describe('checkRoomInvariants', () => {
  it('finds nothing in absent, active and closed rooms', () => {
    expect([absent, active, closedRoom].map(checkRoomInvariants)).toEqual([null, null, null]);
  });

  const occupancy = seatOf(active, 0).occupancy;
  const ghost = 'ghost' as UserId;
  it.each<readonly [string, RegExp, RoomState]>([
    ['a version below 1', /version 1/, { ...active, version: version(0n) }],
    ['no owner', /owner/, { ...active, ownerUserId: null }],
    ['a last event before the creation', /creation/, { ...active, lastEventAtMs: 5 }],
    ['close info of an open room', /close info/, { ...active, closeInfo: closedRoom.closeInfo }],
    ['seats out of order', /1 to n/, { ...active, seats: active.seats.toReversed() }],
    ['a missing seat number', /1 to n/, { ...active, seats: active.seats.slice(1) }],
    ['a holder who is absent', /present \(INV-26\)/, withHolder(0, { userId: ghost })],
    ['a user on two seats', /one seat/, withHolder(0, { userId: bob })],
    [
      'a session on two seats',
      /session/,
      withHolder(0, { micSessionId: on(2, bob, 4).micSessionId }),
    ],
    ['a locked seat with a holder', /locked/, withSeat(active, 0, { locked: true })],
    ['a session from the future', /newer/, withHolder(0, { sessionRoomVersion: version(9n) })],
    ['a start in the future', /future/, withHolder(0, { sessionStartedAtMs: 2_000_000 })],
    ['a pending seat without a deadline', /deadline/, withHolder(0, { publishDeadlineMs: 0 })],
    ['a publishing seat with a deadline', /deadline/, withHolder(1, { publishDeadlineMs: 9 })],
    ['users of a closed room', /nobody/, { ...closedRoom, users: active.users }],
    ['seated users of a closed room', /on a seat/, withSeat(closedRoom, 0, { occupancy })],
    ['a closed room without close info', /close info/, { ...closedRoom, closeInfo: null }],
    [
      'a count below 0',
      /below 0/,
      {
        ...closedRoom,
        closeInfo: { ...assertDefined(closedRoom.closeInfo, 'closed'), finalOnlineCount: -1 },
      },
    ],
    ['an absent room with a version', /version 0/, { ...absent, version: version(1n) }],
    ['an absent room with an owner', /no owner/, { ...absent, ownerUserId: alice }],
    ['an absent room with users', /holds nothing/, { ...absent, users: active.users }],
    ['an absent room with seats', /holds nothing/, { ...absent, seats: closedRoom.seats }],
  ])('finds %s', (_what, sentence, state) => {
    expect(checkRoomInvariants(state)).toMatch(sentence);
  });

  it('walks the seats and never the users, so that a full room pays no more than an empty one', () => {
    const { users } = active;
    const guarded = {
      size: users.size,
      has: (key: string) => users.has(key),
      get: (key: string) => users.get(key),
    };
    const state = { ...active, users: guarded } as unknown as RoomState;
    expect(checkRoomInvariants(state)).toBeNull();
  });

  it('accepts two users whose sessions differ', () => {
    expect(checkRoomInvariants(withHolder(0, { micSessionId: asSession('other') }))).toBeNull();
  });
});
