/** MicUp (MIC-1, MIC-5, MIC-16…18, MIC-20, MIC-22, MIC-23, META-1). */
import { describe, expect, it } from 'vitest';
import { given, publishTimeoutMs, timeOf } from '../../../support/decider-spec.ts';
import { lockSeat, micUp } from '../../../support/command-builders.ts';
import {
  adminSet,
  alice,
  asSession,
  bob,
  carol,
  created,
  joined,
  left,
  on,
  owner,
  publishing,
  seatLocked,
  session,
  wentUp,
} from '../../../support/room-builders.ts';

const farMs = 90_000_000;

describe('When active and the user is present', () => {
  const room = given(created(), joined(alice), joined(bob));

  it('MicUp takes the seat, opens a session and sets its publish deadline (MIC-1, MIC-5, MIC-16, MIC-17, MIC-18, RES-5, RES-6, RES-7, CMD-5)', () => {
    const micSessionId = asSession('fresh');
    const publishDeadlineMs = room.nextMs + publishTimeoutMs;
    const outcome = room
      .when(micUp(2), { micSessionId })
      .thenApplied(
        [{ type: 'RoomMicUp', userId: alice, seatNo: 2, micSessionId, publishDeadlineMs }],
        {
          seatNo: 2,
          micSessionId,
          publishDeadlineMs,
        },
      );
    expect(outcome.state.seats[1]).toEqual({
      seatNo: 2,
      locked: false,
      muted: false,
      occupancy: {
        userId: alice,
        micSessionId,
        state: 'pending_publish',
        sessionRoomVersion: 4n,
        sessionStartedAtMs: room.nextMs,
        publishDeadlineMs,
        lastPublishEventTimeMs: 0,
      },
    });
  });

  it('seat 0 is the first that is neither taken nor locked', () => {
    const taken = given(created(), joined(alice), joined(bob), wentUp(on(1, bob, 4), farMs));
    taken
      .after(lockSeat(2), { by: owner, atMs: taken.state.lastEventAtMs })
      .when(micUp(0), { micSessionId: session(5) })
      .thenApplied([wentUp(on(3, alice, 5), taken.nextMs + publishTimeoutMs)]);
  });

  it('seat 0 is refused when every open seat is taken', () => {
    const two = given(
      created({ seatCount: 2 }),
      [joined(alice), joined(bob)],
      wentUp(on(1, bob, 3), farMs),
    );
    two.after(lockSeat(2), { by: owner }).when(micUp(0)).thenRejected('NO_FREE_SEAT');
    given(created({ seatCount: 0 }), joined(alice))
      .when(micUp(0))
      .thenRejected('NO_FREE_SEAT');
  });

  it.each([4, -1, 1.5])('seat %d of three does not exist', (seatNo) => {
    room.when(micUp(seatNo)).thenRejected('SEAT_NOT_FOUND', { seat_no: String(seatNo) });
  });

  it('a locked seat is refused, to the owner too (MIC-23)', () => {
    room
      .after(lockSeat(2), { by: owner })
      .when(micUp(2))
      .thenRejected('SEAT_LOCKED', { seat_no: '2' });
    given(created(), joined(owner))
      .after(lockSeat(2), { by: owner })
      .when(micUp(2), { by: owner })
      .thenRejected('SEAT_LOCKED', { seat_no: '2' });
  });

  it('a taken seat is refused and its holder named', () => {
    room
      .after(micUp(2), { by: bob })
      .when(micUp(2))
      .thenRejected('SEAT_TAKEN', { seat_no: '2', holder: bob });
  });

  it('of two users who want one seat the first in the room’s order gets it', () => {
    const first = room.after(micUp(1), { by: bob });
    first.when(micUp(1)).thenRejected('SEAT_TAKEN', { seat_no: '1', holder: bob });
    const second = room.after(micUp(1));
    second.when(micUp(1), { by: bob }).thenRejected('SEAT_TAKEN', { seat_no: '1', holder: alice });
  });
});

describe('When active and the user is seated', () => {
  const pending = given(created(), joined(alice), wentUp(on(2, alice, 3), farMs));
  const held = { seatNo: 2, micSessionId: session(3), publishDeadlineMs: farMs };

  it.each([2, 0])(
    'MicUp on seat %i answers the session and deadline it holds (MIC-22)',
    (seatNo) => {
      pending.when(micUp(seatNo), { micSessionId: asSession('unused') }).thenNoEffect(held);
    },
  );

  it('a confirmed session has no deadline to answer', () => {
    const confirmed = given(
      created(),
      joined(alice),
      wentUp(on(2, alice, 3), farMs),
      publishing(on(2, alice, 3)),
    );
    confirmed.when(micUp(2)).thenNoEffect({ ...held, publishDeadlineMs: 0 });
  });

  it.each([1, 4])(
    'MicUp on another seat (%i) is refused and the held one named (MIC-22)',
    (seatNo) => {
      pending.when(micUp(seatNo)).thenRejected('ALREADY_ON_SEAT', { seat_no: '2' });
    },
  );

  it('an unconfirmed session keeps its deadline however often MicUp is repeated', () => {
    const again = pending.when(micUp(2), { atMs: timeOf(3) + 14_000 }).thenNoEffect(held);
    expect(again.state.seats[1]?.occupancy?.publishDeadlineMs).toBe(farMs);
  });
});

describe('When a seat was locked and opened again', () => {
  it('it can be taken (MIC-4)', () => {
    given(created({ seatCount: 1 }), joined(alice), seatLocked(1))
      .after(lockSeat(1, false), { by: owner })
      .when(micUp(1))
      .room();
  });
});

describe('When active and the user is absent', () => {
  it('MicUp is refused, for one who left, one who never came, and the owner (MIC-23)', () => {
    const room = given(created(), joined(alice), left(alice));
    for (const by of [alice, carol, owner]) {
      room.when(micUp(1), { by }).thenRejected('USER_NOT_PRESENT', { user_id: by });
    }
  });

  it('a service cannot seat a user who is not in the room', () => {
    given(created())
      .when(micUp(1), { role: 'service' })
      .thenRejected('USER_NOT_PRESENT', { user_id: alice });
  });
});

describe('When the mode is apply', () => {
  const room = given(created({ mode: 'apply' }), joined(alice), joined(owner));

  it.each([1, 0, 9])('a member cannot take seat %i by itself (META-1)', (seatNo) => {
    room.when(micUp(seatNo)).thenRejected('MIC_BY_INVITATION');
  });

  it('the owner, an admin, a service and an operator can', () => {
    room.when(micUp(1), { by: owner }).room();
    given(created({ mode: 'apply' }), joined(alice), adminSet(alice))
      .when(micUp(1))
      .room();
    room.when(micUp(1), { role: 'service' }).room();
    room.when(micUp(1), { role: 'operator' }).room();
  });

  it('a member who was let up repeats MicUp and gets the session it holds', () => {
    room
      .after(micUp(1), { role: 'service', micSessionId: session(7) })
      .when(micUp(1))
      .thenNoEffect({
        seatNo: 1,
        micSessionId: session(7),
        publishDeadlineMs: room.nextMs + publishTimeoutMs,
      });
  });
});
