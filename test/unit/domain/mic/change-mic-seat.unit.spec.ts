/** ChangeMicSeat (MIC-9, MIC-10, MIC-25, decision 7). */
import { describe, expect, it } from 'vitest';
import { changeSeat, confirm, expire, lockSeat } from '../../../support/command-builders.ts';
import { given, publishTimeoutMs } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  carol,
  created,
  joined,
  movedSeat,
  on,
  owner,
  publishing,
  rtcNoted,
  seatLocked,
  session,
  wentUp,
} from '../../../support/room-builders.ts';

const farMs = 90_000_000;
const pending = given(created(), [joined(alice), joined(bob)], wentUp(on(1, alice, 3), farMs));
const live = given(
  created(),
  [joined(alice), joined(bob)],
  wentUp(on(1, alice, 3), farMs),
  publishing(on(1, alice, 3), 777),
);

describe('When active and the user is seated', () => {
  it.each([
    ['pending', pending],
    ['publishing', live],
  ])(
    'a %s session moves, stays the same and waits for a confirmation again (MIC-9, MIC-10, MIC-25, CMD-7)',
    (_state, room) => {
      const before = room.state.seats[0]?.occupancy;
      const publishDeadlineMs = room.nextMs + publishTimeoutMs;
      const { state } = room
        .when(changeSeat(3))
        .thenApplied([movedSeat(on(1, alice, 3), 3, publishDeadlineMs)], {
          seatNo: 3,
          micSessionId: session(3),
          publishDeadlineMs,
        });
      expect(state.seats[0]?.occupancy).toBeNull();
      expect(state.seats[2]?.occupancy).toEqual({
        ...before,
        state: 'pending_publish',
        publishDeadlineMs,
      });
    },
  );

  it('the moved session is confirmed as before, or frees its new seat at its new deadline', () => {
    const moved = live.after(changeSeat(3));
    const deadlineMs = live.nextMs + publishTimeoutMs;
    moved.when(confirm(session(3))).thenApplied([publishing(on(3, alice, 3))]);
    const late = { role: 'system', atMs: farMs } as const;
    moved.when(expire(3, session(3), farMs), late).thenNoEffect();
    moved.when(expire(1, session(3), deadlineMs), late).thenNoEffect();
    const freed = moved.when(expire(3, session(3), deadlineMs), late).room();
    expect(freed.state.seats[2]?.occupancy).toBeNull();
  });

  it('the move keeps start and RTC time of the session, so that old RTC events stay old', () => {
    const { state } = live.when(changeSeat(2));
    expect(state.seats[1]?.occupancy).toMatchObject({
      sessionRoomVersion: 3n,
      lastPublishEventTimeMs: 777,
    });
  });

  it('the seat that is held already is a success without effect', () => {
    const held = { seatNo: 1, micSessionId: session(3), publishDeadlineMs: farMs };
    pending.when(changeSeat(1)).thenNoEffect(held);
    live.when(changeSeat(1)).thenNoEffect({ ...held, publishDeadlineMs: 0 });
  });

  it('seat 0 is the first other seat that is free', () => {
    pending
      .after(lockSeat(2), { by: owner })
      .when(changeSeat(0), { atMs: pending.nextMs + 1_000 })
      .thenApplied([movedSeat(on(1, alice, 3), 3, pending.nextMs + 1_000 + publishTimeoutMs)]);
  });

  it.each([
    ['locked', 'SEAT_LOCKED', 2, { seat_no: '2' }],
    ['taken', 'SEAT_TAKEN', 3, { seat_no: '3', holder: 'bob' }],
    ['missing', 'SEAT_NOT_FOUND', 4, { seat_no: '4' }],
    ['missing (any)', 'NO_FREE_SEAT', 0, {}],
  ] as const)(
    'a %s seat refuses the move and leaves the old one (MIC-25)',
    (_what, reason, seatNo, facts) => {
      const room = given(
        created(),
        [joined(alice), joined(bob)],
        wentUp(on(1, alice, 3), farMs),
        seatLocked(2),
        wentUp(on(3, bob, 5), farMs),
      );
      const outcome = room.when(changeSeat(seatNo)).thenRejected(reason, facts);
      expect(outcome.state.seats[0]?.occupancy).toMatchObject({
        userId: alice,
        publishDeadlineMs: farMs,
      });
    },
  );

  it('the seat left is open to the next user at once (MIC-25)', () => {
    pending.after(changeSeat(2)).when({ type: 'MicUp', seatNo: 1 }, { by: bob }).room();
  });

  it('who was let up in mode apply may move', () => {
    given(created({ mode: 'apply' }), joined(alice), wentUp(on(1, alice, 3), farMs))
      .when(changeSeat(2))
      .room();
  });

  it('a noted RTC time goes along', () => {
    const noted = given(
      created(),
      joined(alice),
      wentUp(on(1, alice, 3), farMs),
      rtcNoted(on(1, alice, 3), 888),
    );
    const { state } = noted.when(changeSeat(2));
    expect(state.seats[1]?.occupancy?.lastPublishEventTimeMs).toBe(888);
  });
});

describe('When active and the user is not seated', () => {
  it('ChangeMicSeat finds no seat, present or absent, free target or none', () => {
    for (const by of [bob, carol]) {
      for (const seatNo of [2, 9, 0]) {
        pending.when(changeSeat(seatNo), { by }).thenRejected('NOT_ON_SEAT', { user_id: by });
      }
    }
  });
});
