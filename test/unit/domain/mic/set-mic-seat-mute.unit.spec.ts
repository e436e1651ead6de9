/** SetMicSeatMute: the seat's voice, whoever sits there. */
import { describe, expect, it } from 'vitest';
import { leaveRoom, lockSeat, micUp, muteSeat } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  bob,
  created,
  joined,
  on,
  owner,
  publishing,
  wentUp,
} from '../../../support/room-builders.ts';

const muted = (seatNo: number, isMuted = true) =>
  ({ type: 'RoomMicSeatMuted', seatNo, muted: isMuted }) as const;
const room = given(
  created(),
  [joined(alice), joined(bob)],
  adminSet(bob),
  wentUp(on(2, alice, 4), 90_000_000),
  publishing(on(2, alice, 4)),
);

describe('When active', () => {
  it.each([1, 2])('seat %i is muted and heard again; who sits there goes on', (seatNo) => {
    const before = room.state.seats;
    const { state } = room
      .when(muteSeat(seatNo), { by: owner })
      .thenApplied([muted(seatNo)], { seatNo });
    expect(state.seats).toEqual(before.map((seat) => ({ ...seat, muted: seat.seatNo === seatNo })));
    const again = room.after(muteSeat(seatNo), { by: owner });
    again
      .when(muteSeat(seatNo, false), { by: owner })
      .thenApplied([muted(seatNo, false)], { seatNo });
  });

  it('what is so already is a success without effect', () => {
    room.when(muteSeat(2, false), { by: owner }).thenNoEffect({ seatNo: 2 });
    room
      .after(muteSeat(2), { by: owner })
      .when(muteSeat(2), { by: owner })
      .thenNoEffect({ seatNo: 2 });
  });

  it('the mute belongs to the seat: it stays when the holder leaves and meets the next one', () => {
    const next = room
      .after(muteSeat(2), { by: owner })
      .after(leaveRoom)
      .after(micUp(2), { by: bob });
    expect(next.state.seats[1]).toMatchObject({ muted: true, occupancy: { userId: bob } });
    expect(next.after(lockSeat(2), { by: owner }).state.seats[1]?.muted).toBe(true);
  });

  it.each([0, 4])('seat %i of three does not exist', (seatNo) => {
    room
      .when(muteSeat(seatNo), { by: owner })
      .thenRejected('SEAT_NOT_FOUND', { seat_no: String(seatNo) });
  });
});

describe('Who may', () => {
  it('owner, admin and the platform may, a member may not, not even on the own seat', () => {
    for (const options of [{ by: owner }, { by: bob }, { role: 'service' }] as const) {
      room.when(muteSeat(2), options).room();
    }
    for (const seatNo of [2, 9]) {
      room.when(muteSeat(seatNo)).thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
    }
  });
});
