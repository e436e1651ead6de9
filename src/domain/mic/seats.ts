/**
 * Looking up and replacing seats. All mic commands and their evolve functions stand on these few
 * functions, so that "who sits where" is answered in one way. A room has tens of seats at most:
 * walking the array is cheaper than an index that would have to be kept right (INV-29).
 */
import { assertDefined } from '../../kernel/assert.ts';
import type { UserId } from '../ids.ts';
import type { MicOccupancy, MicSeat } from '../room/state.ts';

/** `seatNo` of a caller who takes whichever seat is free. */
export const anySeatNo = 0;

/** A seat together with the occupancy that was found on it, so that it need not be checked again. */
export interface HeldSeat {
  readonly seat: MicSeat;
  readonly occupancy: MicOccupancy;
}

/** `count` open, unmuted, empty seats with the numbers 1..count; none for a count below 1. */
export function emptySeats(count: number): readonly MicSeat[] {
  const seats: MicSeat[] = [];
  for (let seatNo = 1; seatNo <= count; seatNo += 1) {
    seats.push({ seatNo, locked: false, muted: false, occupancy: null });
  }
  return seats;
}

/** The seat that `userId` sits on, or null. There is at most one (INV-26). */
export function findSeatByUser(seats: readonly MicSeat[], userId: UserId): HeldSeat | null {
  for (const seat of seats) {
    if (seat.occupancy?.userId === userId) return { seat, occupancy: seat.occupancy };
  }
  return null;
}

/** The seat with this number, or null. Total for every number, however odd. */
export function findSeatByNumber(seats: readonly MicSeat[], seatNo: number): MicSeat | null {
  return seats.find((seat) => seat.seatNo === seatNo) ?? null;
}

/** The lowest-numbered seat that is unlocked and empty, or null. */
export function findFirstFreeSeat(seats: readonly MicSeat[]): MicSeat | null {
  return seats.find((seat) => !seat.locked && seat.occupancy === null) ?? null;
}

/** Every occupied seat, in seat order. */
export function heldSeats(seats: readonly MicSeat[]): readonly HeldSeat[] {
  const held: HeldSeat[] = [];
  for (const seat of seats) {
    if (seat.occupancy !== null) held.push({ seat, occupancy: seat.occupancy });
  }
  return held;
}

/** The seats with `occupancy` on seat `seatNo`. The seat must exist: events name real seats only. */
export function withOccupancy(
  seats: readonly MicSeat[],
  seatNo: number,
  occupancy: MicOccupancy | null,
): readonly MicSeat[] {
  return withSeat(seats, seatNo, { occupancy });
}

/** The seats with some fields of seat `seatNo` replaced. The seat must exist, see above. */
export function withSeat(
  seats: readonly MicSeat[],
  seatNo: number,
  change: Partial<Omit<MicSeat, 'seatNo'>>,
): readonly MicSeat[] {
  assertDefined(findSeatByNumber(seats, seatNo), 'an event names a seat that the room lacks');
  return seats.map((seat) => (seat.seatNo === seatNo ? { ...seat, ...change } : seat));
}

/** The seats 1..count: those there are, and new empty ones behind them (META-3). */
export function withSeatCount(seats: readonly MicSeat[], count: number): readonly MicSeat[] {
  return [...seats.slice(0, count), ...emptySeats(count).slice(seats.length)];
}
