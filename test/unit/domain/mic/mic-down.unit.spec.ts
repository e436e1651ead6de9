/** MicDown (MIC-7, MIC-8, MIC-11, MIC-20, MIC-29). */
import { describe, expect, it } from 'vitest';
import { given, stepMs } from '../../../support/decider-spec.ts';
import { micDown, micUp } from '../../../support/command-builders.ts';
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
  session,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const farMs = 90_000_000;
const pending = given(created(), [joined(alice), joined(bob)], wentUp(on(2, alice, 3), farMs));

describe('When active and the user is seated', () => {
  it('MicDown frees a pending seat and answers seat and session (MIC-7, MIC-20, RES-5, CMD-6)', () => {
    const outcome = pending
      .when(micDown())
      .thenApplied([wentDown(on(2, alice, 3), 'mic_down', stepMs)], {
        seatNo: 2,
        micSessionId: session(3),
      });
    expect(outcome.state.seats[1]?.occupancy).toBeNull();
    expect(outcome.state.users.has(alice)).toBe(true);
  });

  it('MicDown frees a publishing seat and counts from the session start (MIC-8, MIC-29)', () => {
    given(created(), joined(alice), wentUp(on(2, alice, 3), farMs), publishing(on(2, alice, 3)))
      .when(micDown({ micSessionId: session(3) }))
      .thenApplied([wentDown(on(2, alice, 3), 'mic_down', 2 * stepMs)]);
  });

  it('a session that began and ended in one millisecond was on the mic for 0 ms', () => {
    pending
      .when(micDown(), { atMs: pending.state.lastEventAtMs })
      .thenApplied([wentDown(on(2, alice, 3), 'mic_down', 0)]);
  });

  it('naming oneself is going down and not being taken down', () => {
    pending
      .when(micDown({ userId: alice }))
      .thenApplied([wentDown(on(2, alice, 3), 'mic_down', stepMs)]);
  });

  it('MicDown of another session than the one on the seat is refused (MIC-11)', () => {
    pending
      .when(micDown({ micSessionId: session(1) }))
      .thenRejected('MIC_SESSION_STALE', { seat_no: '2' });
  });

  it.each([
    ['user', owner],
    ['service', bob],
    ['operator', carol],
  ] as const)('a manager (role %s as %s) takes another down', (role, by) => {
    pending
      .when(micDown({ userId: alice }), { role, by })
      .thenApplied([wentDown(on(2, alice, 3), 'taken_down', stepMs)], {
        seatNo: 2,
        micSessionId: session(3),
      });
  });

  it('a manager who names an old session takes nobody down', () => {
    pending
      .when(micDown({ userId: alice, micSessionId: session(1) }), { by: owner })
      .thenRejected('MIC_SESSION_STALE', { seat_no: '2' });
  });

  it('a member cannot take another down', () => {
    pending
      .when(micDown({ userId: alice }), { by: bob })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: bob });
  });
});

describe('When active and the user is not seated', () => {
  it('MicDown finds no seat, present or absent, self or another', () => {
    pending.when(micDown(), { by: bob }).thenRejected('NOT_ON_SEAT', { user_id: bob });
    pending.when(micDown(), { by: carol }).thenRejected('NOT_ON_SEAT', { user_id: carol });
    pending
      .when(micDown({ userId: bob }), { by: owner })
      .thenRejected('NOT_ON_SEAT', { user_id: bob });
  });

  it('a stranger cannot find out by MicDown whether somebody is seated', () => {
    const seated = pending.when(micDown({ userId: alice }), { by: carol });
    const unseated = pending.when(micDown({ userId: bob }), { by: carol });
    expect(seated.decision).toEqual(unseated.decision);
  });
});

describe('When one who stands as high is to be taken down', () => {
  const high = given(
    created(),
    [joined(alice), joined(bob), joined(owner)],
    [adminSet(bob), adminSet(carol)],
    wentUp(on(1, owner, 4), farMs),
    wentUp(on(2, bob, 5), farMs),
  );
  const ofOwner = micDown({ userId: owner });
  const ofBob = micDown({ userId: bob });

  it('an admin takes down neither the owner nor another admin, but itself and members', () => {
    high
      .when(ofOwner, { by: bob })
      .thenRejected('TARGET_PROTECTED', { user_id: 'owner', role: 'owner' });
    high
      .when(ofBob, { by: carol })
      .thenRejected('TARGET_PROTECTED', { user_id: 'bob', role: 'admin' });
    high.when(ofBob, { by: bob }).thenApplied([wentDown(on(2, bob, 5), 'mic_down', stepMs)]);
    high
      .after(micUp(3))
      .when(micDown({ userId: alice }), { by: bob })
      .room();
  });

  it('the owner and those above take down admins, and nobody the owner', () => {
    for (const options of [{ by: owner }, { role: 'service' }, { role: 'operator' }] as const) {
      high.when(ofBob, options).thenApplied([wentDown(on(2, bob, 5), 'taken_down', stepMs)]);
    }
    for (const role of ['service', 'operator'] as const) {
      high
        .when(ofOwner, { role })
        .thenRejected('TARGET_PROTECTED', { user_id: 'owner', role: 'owner' });
    }
  });

  it('a member learns not how high the other stands', () => {
    for (const body of [ofOwner, ofBob]) {
      high.when(body).thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
    }
  });
});
