/** Deadlines of a room and the system commands they make (MIC-13, MIC-28). */
import { describe, expect, it } from 'vitest';
import { dueCommands, nextDeadline } from '../../../../src/domain/room/deadlines.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  carol,
  closeRoom,
  created,
  expire,
  joined,
  on,
  owner,
  publishing,
  session,
  wentUp,
} from '../../../support/room-builders.ts';

const crowd = [joined(alice), joined(bob), joined(carol)];

describe('When nobody waits for confirmation', () => {
  it('there is no deadline: absent room, empty seats, publishing seats, closed room', () => {
    const seated = given(created(), crowd, wentUp(on(1, alice, 3), 5_000_000));
    const rooms = [
      given(),
      given(created(), crowd),
      given(created(), crowd, wentUp(on(1, alice, 3), 5_000_000), publishing(on(1, alice, 3))),
      seated.after(closeRoom(), { by: owner }),
    ];
    for (const { state } of rooms) {
      expect(nextDeadline(state)).toBeNull();
      expect(dueCommands(state, Number.MAX_SAFE_INTEGER)).toEqual([]);
    }
  });
});

describe('When seats wait for confirmation', () => {
  const { state } = given(
    created(),
    crowd,
    wentUp(on(1, alice, 3), 7_000_000),
    wentUp(on(3, bob, 4), 5_000_000),
    wentUp(on(2, carol, 5), 5_000_000),
  );

  it('the earliest deadline is next, of equal ones that of the lower seat', () => {
    const command = expire(2, session(5), 5_000_000);
    expect(nextDeadline(state)).toEqual({ atMs: 5_000_000, command });
  });

  it('what is due comes by deadline, then by seat, and nothing before its time', () => {
    const [second, third, first] = [
      expire(2, session(5), 5_000_000),
      expire(3, session(4), 5_000_000),
      expire(1, session(3), 7_000_000),
    ];
    expect(dueCommands(state, 4_999_999)).toEqual([]);
    expect(dueCommands(state, 5_000_000)).toEqual([second, third]);
    expect(dueCommands(state, 7_000_000)).toEqual([second, third, first]);
  });

  it('running what is due frees every seat and leaves no deadline', () => {
    let room = given(
      created(),
      crowd,
      wentUp(on(1, alice, 3), 7_000_000),
      wentUp(on(3, bob, 4), 5_000_000),
    );
    const atMs = 7_000_000;
    for (const command of dueCommands(room.state, atMs)) {
      room = room.after(command, { role: 'system', atMs });
    }
    expect(room.state.seats.every((seat) => seat.occupancy === null)).toBe(true);
    expect(nextDeadline(room.state)).toBeNull();
  });
});
