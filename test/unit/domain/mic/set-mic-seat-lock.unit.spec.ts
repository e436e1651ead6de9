/** SetMicSeatLock (MIC-3, MIC-4, MIC-24, decision 18). */
import { describe, expect, it } from 'vitest';
import { lockSeat } from '../../../support/command-builders.ts';
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
  seatLocked,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const farMs = 90_000_000;
const unlocked = (seatNo: number) => ({ type: 'RoomMicSeatUnlocked', seatNo }) as const;
const people = [joined(owner), joined(alice), joined(bob), joined(carol)];
const room = given(created(), people, [adminSet(bob), adminSet(carol)]);

describe('When the seat is empty', () => {
  it('a lock shuts it and an unlock opens it, and no other seat changes (MIC-3, MIC-4, CMD-9)', () => {
    const locked = room.when(lockSeat(2), { by: owner }).thenApplied([seatLocked(2)], {
      seatNo: 2,
    });
    expect(locked.state.seats.map((seat) => seat.locked)).toEqual([false, true, false]);
    const opened = locked.room().when(lockSeat(2, false), { by: owner });
    opened.thenApplied([unlocked(2)], { seatNo: 2 });
    expect(opened.state.seats).toEqual(room.state.seats);
  });

  it('what is so already is a success without effect', () => {
    room.when(lockSeat(2, false), { by: owner }).thenNoEffect({ seatNo: 2 });
    room
      .after(lockSeat(2), { by: owner })
      .when(lockSeat(2), { by: owner })
      .thenNoEffect({ seatNo: 2 });
  });

  it.each([0, 4])('seat %i of three does not exist', (seatNo) => {
    for (const locked of [true, false]) {
      room
        .when(lockSeat(seatNo, locked), { by: owner })
        .thenRejected('SEAT_NOT_FOUND', { seat_no: String(seatNo) });
    }
  });
});

describe('When somebody sits on the seat', () => {
  const seated = given(created(), people, adminSet(bob), wentUp(on(2, alice, 4), farMs));

  it('a lock takes the holder down first, in the same commit, and the user stays present (MIC-24)', () => {
    const { state } = seated
      .when(lockSeat(2), { by: bob })
      .thenApplied([wentDown(on(2, alice, 4), 'seat_locked', stepMs), seatLocked(2)], {
        seatNo: 2,
      });
    expect(state.seats[1]).toEqual({ seatNo: 2, locked: true, muted: false, occupancy: null });
    expect(state.users.has(alice)).toBe(true);
  });

  it('a publishing holder is taken down alike', () => {
    given(created(), people, wentUp(on(2, alice, 3), farMs), publishing(on(2, alice, 3)))
      .when(lockSeat(2), { by: owner })
      .thenApplied([wentDown(on(2, alice, 3), 'seat_locked', 2 * stepMs), seatLocked(2)]);
  });

  it('an unlock of the seat is without effect and takes nobody down', () => {
    seated.when(lockSeat(2, false), { by: owner }).thenNoEffect({ seatNo: 2 });
  });
});

describe('When one who stands as high sits there', () => {
  const high = given(
    created(),
    people,
    [adminSet(bob), adminSet(carol)],
    wentUp(on(1, owner, 4), farMs),
    wentUp(on(2, bob, 5), farMs),
  );

  it('an admin cannot lock away the owner nor another admin', () => {
    const byCarol = { by: carol };
    high
      .when(lockSeat(1), byCarol)
      .thenRejected('TARGET_PROTECTED', { user_id: 'owner', role: 'owner' });
    high
      .when(lockSeat(2), byCarol)
      .thenRejected('TARGET_PROTECTED', { user_id: 'bob', role: 'admin' });
  });

  it('the owner can lock away an admin, and the platform an admin but not the owner', () => {
    high.when(lockSeat(2), { by: owner }).room();
    for (const role of ['service', 'operator'] as const) {
      high.when(lockSeat(2), { role }).room();
      high
        .when(lockSeat(1), { role })
        .thenRejected('TARGET_PROTECTED', { user_id: 'owner', role: 'owner' });
    }
  });

  it('everybody who may lock may lock the own seat', () => {
    high.when(lockSeat(1), { by: owner }).room();
    high.when(lockSeat(2), { by: bob }).room();
  });
});

describe('Who may', () => {
  it('a member may neither lock nor open, not even the own seat or one that is not there', () => {
    const seated = given(created(), people, wentUp(on(2, alice, 3), farMs));
    for (const seatNo of [1, 2, 9]) {
      for (const locked of [true, false]) {
        seated
          .when(lockSeat(seatNo, locked))
          .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
      }
    }
  });
});
