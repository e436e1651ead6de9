/** AnswerMicRequest: who answers whom, and the seat that an accepted request takes (META-1). */
import { describe, expect, it } from 'vitest';
import {
  answerMic,
  applyForMic,
  inviteToMic,
  lockSeat,
  micUp,
} from '../../../support/command-builders.ts';
import { given, publishTimeoutMs } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asSession,
  bob,
  carol,
  created,
  joined,
  micRequestEnded,
  micRequested,
  owner,
} from '../../../support/room-builders.ts';

const fresh = asSession('fresh');
const room = given(
  created({ mode: 'apply' }),
  [joined(alice), joined(bob), joined(carol)],
  adminSet(bob),
);
const applied = room.after(applyForMic(2));
const invited = room.after(inviteToMic(alice, 2), { by: owner });

/** alice sits down on the seat, at the default time of the next decision. */
function seatedAlice(seatNo: number, nextMs: number) {
  const publishDeadlineMs = nextMs + publishTimeoutMs;
  return {
    type: 'RoomMicUp',
    userId: alice,
    seatNo,
    micSessionId: fresh,
    publishDeadlineMs,
  } as const;
}

describe('When an application waits', () => {
  it.each([
    ['user', owner],
    ['user', bob],
    ['service', carol],
    ['operator', carol],
  ] as const)('a manager (role %s as %s) lets the applicant up', (role, by) => {
    const up = seatedAlice(2, applied.nextMs);
    const { state } = applied
      .when(answerMic('accepted', alice), { role, by, micSessionId: fresh })
      .thenApplied([up], {
        seatNo: 2,
        micSessionId: fresh,
        publishDeadlineMs: up.publishDeadlineMs,
      });
    expect(state.micRequests).toEqual([]);
    expect(state.seats[1]?.occupancy).toMatchObject({ userId: alice, state: 'pending_publish' });
  });

  it('a manager declines it', () => {
    const { state } = applied
      .when(answerMic('declined', alice), { by: bob })
      .thenApplied([micRequestEnded(alice, 'apply', 'declined', bob)], {});
    expect(state.micRequests).toEqual([]);
    expect(state.seats[1]?.occupancy).toBeNull();
  });

  it.each(['', alice] as const)('the applicant takes it back (naming %s)', (userId) => {
    applied
      .when(answerMic('declined', userId))
      .thenApplied([micRequestEnded(alice, 'apply', 'withdrawn')]);
  });

  it('the applicant cannot accept the own application', () => {
    for (const userId of ['', alice] as const) {
      applied
        .when(answerMic('accepted', userId))
        .thenRejected('NOT_YOUR_MIC_REQUEST', { kind: 'apply' });
    }
  });

  it('nor can one who manages the room: a manager sits down by MicUp', () => {
    const byAdmin = room.after(applyForMic(), { by: bob });
    byAdmin
      .when(answerMic('accepted'), { by: bob })
      .thenRejected('NOT_YOUR_MIC_REQUEST', { kind: 'apply' });
    byAdmin.when(answerMic('accepted', bob), { by: owner }).room();
  });

  it('of two managers who answer the first decides', () => {
    applied
      .after(answerMic('declined', alice), { by: bob })
      .when(answerMic('accepted', alice), { by: owner })
      .thenRejected('MIC_REQUEST_NOT_FOUND', { user_id: 'alice' });
  });
});

describe('When an invitation waits', () => {
  it.each(['', alice] as const)('the invited user sits down by it (naming %s)', (userId) => {
    invited
      .when(answerMic('accepted', userId), { micSessionId: fresh })
      .thenApplied([seatedAlice(2, invited.nextMs)]);
  });

  it('the invited user declines it', () => {
    invited.when(answerMic('declined')).thenApplied([micRequestEnded(alice, 'invite', 'declined')]);
  });

  it('the one who invited takes it back, another manager declines it', () => {
    invited
      .when(answerMic('declined', alice), { by: owner })
      .thenApplied([micRequestEnded(alice, 'invite', 'withdrawn', owner)]);
    invited
      .when(answerMic('declined', alice), { by: bob })
      .thenApplied([micRequestEnded(alice, 'invite', 'declined', bob)]);
  });

  it('nobody seats another by an invitation, whatever the role', () => {
    for (const options of [{ by: owner }, { by: bob }, { by: carol, role: 'service' }] as const) {
      invited
        .when(answerMic('accepted', alice), options)
        .thenRejected('NOT_YOUR_MIC_REQUEST', { kind: 'invite' });
    }
  });
});

describe('When the seat is gone meanwhile', () => {
  it.each([
    [
      'taken',
      micUp(2),
      { by: carol, role: 'service' },
      'SEAT_TAKEN',
      { seat_no: '2', holder: 'carol' },
    ],
    ['locked', lockSeat(2), { by: owner }, 'SEAT_LOCKED', { seat_no: '2' }],
    [
      'removed',
      { type: 'SetSeatCount', seatCount: 1 },
      { by: owner },
      'SEAT_NOT_FOUND',
      { seat_no: '2' },
    ],
  ] as const)('a %s seat refuses and the request waits on', (_what, body, by, reason, facts) => {
    for (const [waiting, options] of [
      [applied, { by: owner }],
      [invited, { by: alice }],
    ] as const) {
      const outcome = waiting.after(body, by).when(answerMic('accepted', alice), options);
      outcome.thenRejected(reason, facts);
      expect(outcome.state.micRequests).toHaveLength(1);
    }
  });

  it('a request for any seat takes the first that is free when it is accepted', () => {
    const waiting = room.after(applyForMic(0)).after(micUp(1), { by: carol, role: 'service' });
    waiting
      .when(answerMic('accepted', alice), { by: owner, micSessionId: fresh })
      .thenApplied([seatedAlice(2, waiting.nextMs)]);
  });

  it('and is refused when none is', () => {
    given(created({ mode: 'apply', seatCount: 0 }), joined(alice))
      .after(applyForMic(0))
      .when(answerMic('accepted', alice), { by: owner })
      .thenRejected('NO_FREE_SEAT');
  });
});

describe('When nothing waits', () => {
  it('a manager and the user itself are told so, for either answer', () => {
    for (const answer of ['accepted', 'declined'] as const) {
      for (const by of [alice, owner]) {
        room
          .when(answerMic(answer, alice), { by })
          .thenRejected('MIC_REQUEST_NOT_FOUND', { user_id: 'alice' });
      }
    }
  });

  it('a stranger learns nothing about another’s request', () => {
    for (const some of [room, applied, invited]) {
      for (const answer of ['accepted', 'declined'] as const) {
        some
          .when(answerMic(answer, alice), { by: carol })
          .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'carol' });
      }
    }
  });
});

describe('When its time is over and the timer has not run yet', () => {
  it('an answer still counts: the order in the room’s queue decides', () => {
    given(created({ mode: 'apply' }), joined(alice), micRequested(alice, 1_002_000))
      .when(answerMic('accepted', alice), { by: owner, atMs: 1_003_000 })
      .room();
  });
});
