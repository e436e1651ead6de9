/** LeaveRoom (PRES-5, PRES-14). */
import { describe, expect, it } from 'vitest';
import { given, stepMs } from '../../../support/decider-spec.ts';
import { leaveRoom, micUp } from '../../../support/command-builders.ts';
import {
  alice,
  bob,
  created,
  joined,
  left,
  on,
  publishing,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

describe('When active and the user is present', () => {
  it('LeaveRoom ends the presence of this user only (PRES-5, CMD-3)', () => {
    const outcome = given(created(), joined(alice), joined(bob))
      .when(leaveRoom)
      .thenApplied([left(alice)], {});
    expect([...outcome.state.users.values()].map((user) => user.userId)).toEqual([bob]);
  });

  it('LeaveRoom frees a pending seat before it ends presence, in one command (PRES-14, MIC-7)', () => {
    const outcome = given(created(), joined(alice), wentUp(on(2, alice, 3), 90_000_000))
      .when(leaveRoom)
      .thenApplied([wentDown(on(2, alice, 3), 'left_room', stepMs), left(alice)]);
    expect(outcome.state.seats.every((seat) => seat.occupancy === null)).toBe(true);
  });

  it('LeaveRoom frees a publishing seat and counts the time from the session start (MIC-8, MIC-29)', () => {
    given(
      created(),
      joined(alice),
      wentUp(on(2, alice, 3), 90_000_000),
      publishing(on(2, alice, 3)),
    )
      .when(leaveRoom)
      .thenApplied([wentDown(on(2, alice, 3), 'left_room', 2 * stepMs), left(alice)]);
  });

  it('the seat that a leave has freed is open to the next user at once', () => {
    const room = given(created({ seatCount: 1 }), joined(alice), joined(bob));
    room.after(micUp(1)).after(leaveRoom).when(micUp(1), { by: bob }).room();
  });
});

describe('When active and the user is absent', () => {
  it('LeaveRoom is a success without effect, for one who left and one who never came', () => {
    given(created(), joined(alice), left(alice)).when(leaveRoom).thenNoEffect();
    given(created()).when(leaveRoom).thenNoEffect();
  });
});
