/** ApplyForMic and InviteToMic: wishes that wait for their answer (META-1). */
import { describe, expect, it } from 'vitest';
import { micRequestsMax } from '../../../../src/domain/room/room-limits.ts';
import {
  answerMic,
  applyForMic,
  inviteToMic,
  leaveRoom,
  kickUser,
  micUp,
} from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asUser,
  bob,
  carol,
  created,
  joined,
  micRequested,
  on,
  owner,
  seatLocked,
  wentUp,
} from '../../../support/room-builders.ts';

const farMs = 90_000_000;
const timeoutMs = 60_000;
const people = [joined(alice), joined(bob), joined(carol)];
const room = given(created({ mode: 'apply' }), people, adminSet(bob));
const inviteOf = { kind: 'invite', byUserId: owner } as const;

describe('When the mode is apply and a present user asks', () => {
  it.each([0, 2])('an application for seat %i waits for its answer', (seatNo) => {
    const expiresAtMs = room.nextMs + timeoutMs;
    const { state } = room
      .when(applyForMic(seatNo))
      .thenApplied([micRequested(alice, expiresAtMs, { seatNo })], { seatNo });
    expect(state.micRequests).toEqual([
      {
        kind: 'apply',
        userId: alice,
        byUserId: alice,
        seatNo,
        requestedAtMs: room.nextMs,
        expiresAtMs,
      },
    ]);
    expect(state.seats.every(({ occupancy }) => occupancy === null)).toBe(true);
  });

  it('asking again is a success without effect and keeps place, seat and end', () => {
    const waiting = room.after(applyForMic(2)).after(applyForMic(1), { by: carol });
    const again = waiting.when(applyForMic(3)).thenNoEffect({ seatNo: 2 });
    expect(again.state.micRequests.map(({ userId }) => userId)).toEqual([alice, carol]);
  });

  it('whether the seat is free is judged later: taken and locked seats may be asked for', () => {
    const busy = given(
      created({ mode: 'apply' }),
      people,
      wentUp(on(1, carol, 3), farMs),
      seatLocked(2),
    );
    for (const seatNo of [1, 2]) busy.when(applyForMic(seatNo)).room();
  });

  it('a seat that is not there cannot be asked for', () => {
    room.when(applyForMic(4)).thenRejected('SEAT_NOT_FOUND', { seat_no: '4' });
  });

  it('an admin and the owner, who need not ask, may', () => {
    room.when(applyForMic(), { by: bob }).room();
  });

  it('one who sits has nothing to ask', () => {
    given(created({ mode: 'apply' }), people, wentUp(on(2, alice, 3), farMs))
      .when(applyForMic(9))
      .thenRejected('ALREADY_ON_SEAT', { seat_no: '2' });
  });

  it('one who is absent cannot ask, whatever the seat', () => {
    for (const seatNo of [0, 9]) {
      room
        .when(applyForMic(seatNo), { by: owner })
        .thenRejected('USER_NOT_PRESENT', { user_id: 'owner' });
    }
  });
});

describe('When the mode is free', () => {
  it('nobody applies, present or absent, for there is nothing to ask', () => {
    const free = given(created(), people);
    free.when(applyForMic()).thenRejected('MIC_IS_FREE');
    free.when(applyForMic(9), { by: owner }).thenRejected('MIC_IS_FREE');
  });

  it('a manager invites all the same', () => {
    const free = given(created(), people);
    free
      .when(inviteToMic(alice, 2), { by: owner })
      .thenApplied([micRequested(alice, free.nextMs + timeoutMs, { ...inviteOf, seatNo: 2 })], {
        seatNo: 2,
      });
  });
});

describe('When a manager invites', () => {
  it.each([
    ['user', owner],
    ['user', bob],
    ['service', carol],
    ['operator', carol],
  ] as const)('role %s as %s may', (role, by) => {
    room
      .when(inviteToMic(alice), { role, by })
      .thenApplied([
        micRequested(alice, room.nextMs + timeoutMs, { kind: 'invite', byUserId: by }),
      ]);
  });

  it('a member may not, be the other there or not', () => {
    for (const userId of [alice, asUser('nobody')]) {
      room
        .when(inviteToMic(userId), { by: carol })
        .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'carol' });
    }
  });

  it('inviting again is a success without effect, and the first inviter stays', () => {
    const invited = room.after(inviteToMic(alice, 2), { by: owner });
    const again = invited.when(inviteToMic(alice, 3), { by: bob }).thenNoEffect({ seatNo: 2 });
    expect(again.state.micRequests[0]?.byUserId).toBe(owner);
  });

  it('one who is absent, seated, or for whom there is no seat cannot be invited', () => {
    const by = { by: owner };
    const seated = given(created({ mode: 'apply' }), people, wentUp(on(2, alice, 3), farMs));
    seated.when(inviteToMic(alice), by).thenRejected('ALREADY_ON_SEAT', { seat_no: '2' });
    room.when(inviteToMic(owner), by).thenRejected('USER_NOT_PRESENT', { user_id: 'owner' });
    room.when(inviteToMic(alice, 4), by).thenRejected('SEAT_NOT_FOUND', { seat_no: '4' });
  });
});

describe('When the other kind of request waits', () => {
  it('it wants its answer first', () => {
    room
      .after(applyForMic())
      .when(inviteToMic(alice), { by: owner })
      .thenRejected('MIC_REQUEST_PENDING', { kind: 'apply' });
    room
      .after(inviteToMic(alice), { by: owner })
      .when(applyForMic())
      .thenRejected('MIC_REQUEST_PENDING', { kind: 'invite' });
  });
});

describe('When as many wait as may', () => {
  const many = Array.from({ length: micRequestsMax }, (_, n) => asUser(`u${n}`));
  const full = given(created({ mode: 'apply' }), [
    joined(alice),
    ...many.map((userId) => joined(userId)),
    ...many.map((userId) => micRequested(userId, farMs)),
  ]);

  it('one more is refused, by whichever command it comes', () => {
    expect(micRequestsMax).toBe(50);
    const facts = { requests_max: '50' };
    full.when(applyForMic()).thenRejected('MIC_QUEUE_FULL', facts);
    full.when(inviteToMic(alice), { by: owner }).thenRejected('MIC_QUEUE_FULL', facts);
  });

  it('one who waits already is answered as before', () => {
    full.when(applyForMic(), { by: asUser('u3') }).thenNoEffect({ seatNo: 0 });
  });

  it('the place of one who was answered is free', () => {
    const declined = full.after(answerMic('declined', asUser('u0')), { by: owner });
    declined.when(applyForMic()).room();
  });
});

describe('When the user goes another way', () => {
  it.each([
    ['leaving', leaveRoom, {}],
    ['being kicked', kickUser(alice), { by: owner }],
    ['being evicted', { type: 'EvictUser', userId: alice, reason: '' }, { role: 'operator' }],
    ['sitting down', micUp(1), { role: 'service' }],
    ['the mode free', { type: 'SetRoomMode', mode: 'free' }, { by: owner }],
  ] as const)('%s ends what the user had asked for, and nobody else’s', (_what, body, options) => {
    const waiting = room
      .after(applyForMic())
      .after(inviteToMic(carol), { by: owner })
      .after(body, options);
    expect(waiting.state.micRequests.map(({ userId }) => userId)).toEqual([carol]);
  });
});
