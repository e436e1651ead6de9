/** Looking up and replacing seats. */
import { describe, expect, it } from 'vitest';
import {
  emptySeats,
  findFirstFreeSeat,
  findSeatByNumber,
  findSeatByUser,
  heldSeats,
  withOccupancy,
  withSeat,
  withSeatCount,
} from '../../../../src/domain/mic/seats.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { given } from '../../../support/decider-spec.ts';
import { alice, bob, carol, created, joined, on, wentUp } from '../../../support/room-builders.ts';

const { seats } = given(
  created(),
  [joined(alice), joined(bob)],
  wentUp(on(3, alice, 3), 90_000_000),
  wentUp(on(1, bob, 4), 90_000_000),
).state;

describe('seats', () => {
  it('emptySeats numbers from 1 and gives none for a count below 1', () => {
    expect(emptySeats(2).map((seat) => seat.seatNo)).toEqual([1, 2]);
    expect([emptySeats(0), emptySeats(-3)]).toEqual([[], []]);
  });

  it('a seat is found by its holder and by its number, or not at all', () => {
    expect(findSeatByUser(seats, alice)?.seat.seatNo).toBe(3);
    expect(findSeatByUser(seats, carol)).toBeNull();
    expect(findSeatByNumber(seats, 2)?.occupancy).toBeNull();
    expect([0, 4, -1, Number.NaN].map((no) => findSeatByNumber(seats, no))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('the first free seat is the lowest that is empty and unlocked', () => {
    expect(findFirstFreeSeat(seats)?.seatNo).toBe(2);
    const locked = seats.map((seat) => ({ ...seat, locked: true }));
    expect(findFirstFreeSeat(locked)).toBeNull();
  });

  it('held seats come in seat order, whoever sat down first', () => {
    expect(heldSeats(seats).map((held) => held.occupancy.userId)).toEqual([bob, alice]);
  });

  it('replacing an occupancy changes that seat alone and shares the others', () => {
    const freed = withOccupancy(seats, 3, null);
    expect(freed[2]?.occupancy).toBeNull();
    expect(freed[0]).toBe(seats[0]);
    expect(() => withOccupancy(seats, 4, null)).toThrow(InvariantError);
  });
});

describe('withSeatCount and withSeat', () => {
  it('growing keeps the seats there are and adds open ones behind them (META-3)', () => {
    const grown = withSeatCount(seats, 5);
    expect(grown.slice(0, 3)).toEqual(seats);
    expect(grown[0]).toBe(seats[0]);
    expect(grown.slice(3)).toEqual(emptySeats(5).slice(3));
  });

  it('shrinking drops the last ones, down to none', () => {
    expect(withSeatCount(seats, 2)).toEqual(seats.slice(0, 2));
    expect(withSeatCount(seats, 0)).toEqual([]);
  });

  it('a change of one seat leaves its other fields and the other seats as they are', () => {
    const locked = withSeat(seats, 2, { locked: true });
    expect(locked).toEqual(
      seats.map((seat) => (seat.seatNo === 2 ? { ...seat, locked: true } : seat)),
    );
    expect(() => withSeat(seats, 0, { muted: true })).toThrow(InvariantError);
  });
});
