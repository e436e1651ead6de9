/** SetSeatCount (META-3, decision 19). */
import { describe, expect, it } from 'vitest';
import { micUp, lockSeat, muteSeat } from '../../../support/command-builders.ts';
import { given, stepMs } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  bob,
  carol,
  created,
  joined,
  on,
  owner,
  publishing,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const setCount = (seatCount: number) => ({ type: 'SetSeatCount', seatCount }) as const;
const changed = (seatCount: number, byUserId = owner) =>
  ({ type: 'RoomSeatCountChanged', byUserId, seatCount }) as const;
const farMs = 90_000_000;

/** alice on seat 3 since version 3, bob publishing on seat 2 since version 4; seat 1 is locked. */
const room = given(
  created(),
  [joined(alice), joined(bob), joined(carol), adminSet(bob)],
  wentUp(on(3, alice, 3), farMs),
  wentUp(on(2, bob, 4), farMs),
  publishing(on(2, bob, 4)),
)
  .after(lockSeat(1), { by: owner })
  .after(muteSeat(2), { by: owner });

describe('When there are to be more seats', () => {
  it('idle, open ones come behind, and those there are stay as they are (CMD-20, META-3)', () => {
    const { state } = room.when(setCount(5), { by: owner }).thenApplied([changed(5)], {});
    expect(state.seats.slice(0, 3)).toEqual(room.state.seats);
    expect(state.seats.slice(3)).toEqual([
      { seatNo: 4, locked: false, muted: false, occupancy: null },
      { seatNo: 5, locked: false, muted: false, occupancy: null },
    ]);
  });

  it('they can be taken at once', () => {
    room.after(setCount(4), { by: owner }).when(micUp(4), { by: carol }).room();
  });
});

describe('When there are to be fewer', () => {
  it('who sits beyond is taken down before, in seat order, and stays present; the rest stays (META-3)', () => {
    const { state } = room
      .when(setCount(1), { by: owner })
      .thenApplied(
        [
          wentDown(on(2, bob, 4), 'seat_removed', 4 * stepMs),
          wentDown(on(3, alice, 3), 'seat_removed', 5 * stepMs),
          changed(1),
        ],
        {},
      );
    expect(state.seats).toEqual([{ seatNo: 1, locked: true, muted: false, occupancy: null }]);
    expect(state.users.size).toBe(3);
  });

  it('who sits within stays', () => {
    const { state } = room
      .when(setCount(2), { by: owner })
      .thenApplied([wentDown(on(3, alice, 3), 'seat_removed', 5 * stepMs), changed(2)]);
    expect(state.seats).toEqual(room.state.seats.slice(0, 2));
  });

  it('seats that come back are new: locks and mutes of those that went are forgotten', () => {
    const { state } = room.after(setCount(0), { by: owner }).when(setCount(2), { by: owner });
    expect(state.seats.every(({ locked, muted }) => !locked && !muted)).toBe(true);
  });

  it('a count below 0, which only a fault of the gateway lets through, leaves no seats', () => {
    const { state } = room.when(setCount(-1), { by: owner });
    expect(state.seats).toEqual([]);
    given(created({ seatCount: 0 }))
      .when(setCount(-1), { by: owner })
      .thenNoEffect();
  });
});

describe('When it cannot be', () => {
  it('the count there is is a success without effect', () => {
    room.when(setCount(3), { by: owner }).thenNoEffect();
  });

  it('more seats than the room could be closed with are refused', () => {
    const limits = { eventsPerCommandMax: 6 };
    room.when(setCount(5), { by: owner, limits }).thenApplied([changed(5)]);
    room
      .when(setCount(6), { by: owner, limits })
      .thenRejected('RESULT_TOO_LARGE', { seat_count: '6', seat_count_max: '5' });
  });
});

describe('Who may', () => {
  it.each([
    ['user', bob],
    ['service', carol],
    ['operator', carol],
  ] as const)('a manager (role %s as %s) may', (role, by) => {
    room.when(setCount(4), { role, by }).thenApplied([changed(4, by)]);
  });

  it('a member may not, whatever the count', () => {
    for (const count of [1, 3, 4, 1_000]) {
      room.when(setCount(count)).thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
    }
  });
});
