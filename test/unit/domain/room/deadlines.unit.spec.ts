/** Deadlines of a room and the system commands they make (MIC-13, MIC-28, ROOM-5, PRES-16). */
import { describe, expect, it } from 'vitest';
import { nextDeadline } from '../../../../src/domain/room/deadlines.ts';
import { closeRoom, deleteRoom, expire } from '../../../support/command-builders.ts';
import type { GivenRoom } from '../../../support/decider-spec.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  closing,
  created,
  joined,
  kicked,
  micRequested,
  on,
  owner,
  publishing,
  session,
  unbanned,
  wentUp,
} from '../../../support/room-builders.ts';

const crowd = [joined(alice), joined(bob), joined(carol)];
const dave = asUser('dave');
const erin = asUser('erin');

/** The deadlines that fall due one after another, each run when it is due, as an owner node does. */
function runToQuiet(start: GivenRoom): {
  readonly ran: readonly string[];
  readonly room: GivenRoom;
} {
  const ran: string[] = [];
  let room = start;
  for (;;) {
    const next = nextDeadline(room.state);
    if (next === null) return { ran, room };
    ran.push(`${next.command.type} ${next.atMs}`);
    room = room.after(next.command, { role: 'system', atMs: next.atMs });
  }
}

describe('When nothing waits', () => {
  it('there is no deadline: absent room, empty seats, publishing seats', () => {
    const rooms = [
      given(),
      given(created(), crowd),
      given(created(), crowd, wentUp(on(1, alice, 3), 5_000_000), publishing(on(1, alice, 3))),
    ];
    for (const { state } of rooms) expect(nextDeadline(state)).toBeNull();
  });

  it('there is none of a ban without an end, nor of one that was taken back', () => {
    const forEver = given(created(), kicked(dave));
    const takenBack = given(created(), kicked(dave, { expiresAtMs: 5_000_000 }), unbanned(dave));
    expect([nextDeadline(forEver.state), nextDeadline(takenBack.state)]).toEqual([null, null]);
  });

  it('a room that has ended has none, whatever waited in it', () => {
    const busy = given(
      created({ mode: 'apply' }),
      crowd,
      wentUp(on(1, alice, 3), 5_000_000),
      micRequested(bob, 5_000_000),
      kicked(dave, { expiresAtMs: 5_000_000 }),
    );
    const closed = busy.after(closeRoom(), { by: owner });
    expect(nextDeadline(closed.state)).toBeNull();
    expect(nextDeadline(closed.after(deleteRoom(), { by: owner }).state)).toBeNull();
  });
});

describe('When seats wait for confirmation', () => {
  const room = given(
    created(),
    crowd,
    wentUp(on(1, alice, 3), 7_000_000),
    wentUp(on(3, bob, 4), 5_000_000),
    wentUp(on(2, carol, 5), 5_000_000),
  );

  it('the earliest deadline is next, of equal ones that of the lower seat', () => {
    const command = expire(2, session(5), 5_000_000);
    expect(nextDeadline(room.state)).toEqual({ atMs: 5_000_000, command });
  });

  it('what is due comes by deadline, then by seat, and running it frees every seat', () => {
    const { ran, room: quiet } = runToQuiet(room);
    expect(ran).toEqual([
      'ExpireMicPublish 5000000',
      'ExpireMicPublish 5000000',
      'ExpireMicPublish 7000000',
    ]);
    expect(quiet.state.seats.every((seat) => seat.occupancy === null)).toBe(true);
  });
});

describe('When several kinds wait', () => {
  it('the earliest is next, whatever its kind and the order in which it came', () => {
    const { ran } = runToQuiet(
      given(
        created({ mode: 'apply' }),
        crowd,
        kicked(dave, { expiresAtMs: 6_000_000 }),
        kicked(erin, { expiresAtMs: 3_000_000 }),
        micRequested(bob, 5_000_000),
        micRequested(carol, 4_000_000),
        wentUp(on(1, alice, 7), 2_000_000),
        closing(8_000_000),
      ),
    );
    expect(ran).toEqual([
      'ExpireMicPublish 2000000',
      'ExpireBans 3000000',
      'ExpireMicRequests 4000000',
      'ExpireMicRequests 5000000',
      'ExpireBans 6000000',
      'FinishClosing 8000000',
    ]);
  });

  it('of equal ones a seat comes first, then requests, bans and the closing', () => {
    const atMs = 5_000_000;
    const { ran, room } = runToQuiet(
      given(
        created({ mode: 'apply' }),
        crowd,
        kicked(dave, { expiresAtMs: atMs }),
        micRequested(bob, atMs),
        wentUp(on(1, alice, 5), atMs),
        closing(atMs),
      ),
    );
    expect(ran.map((line) => line.split(' ')[0])).toEqual([
      'ExpireMicPublish',
      'ExpireMicRequests',
      'ExpireBans',
      'FinishClosing',
    ]);
    expect(room.state.status).toBe('closed');
  });
});
