/** ConfirmMicPublishing (MIC-6, MIC-11, MIC-17). */
import { describe, expect, it } from 'vitest';
import { given } from '../../../support/decider-spec.ts';
import { confirm } from '../../../support/command-builders.ts';
import {
  alice,
  bob,
  created,
  joined,
  on,
  publishing,
  session,
  wentUp,
} from '../../../support/room-builders.ts';

const deadlineMs = 1_010_000;
const history = [created(), joined(alice), wentUp(on(2, alice, 3), deadlineMs)] as const;
const result = { seatNo: 2, micSessionId: session(3) };

describe('When active and the session is pending', () => {
  const room = given(...history);

  it('ConfirmMicPublishing makes it publishing, without a deadline (MIC-1, MIC-6, MIC-17, CMD-8)', () => {
    const outcome = room
      .when(confirm(session(3)))
      .thenApplied([publishing(on(2, alice, 3))], result);
    expect(outcome.state.seats[1]?.occupancy).toMatchObject({
      state: 'publishing',
      micSessionId: session(3),
      sessionRoomVersion: 3n,
      publishDeadlineMs: 0,
      lastPublishEventTimeMs: 0,
    });
  });

  it('a confirmation after the deadline and before the timeout task still counts', () => {
    room
      .when(confirm(session(3)), { atMs: deadlineMs + 5_000 })
      .thenApplied([publishing(on(2, alice, 3))], result);
  });

  it('another session than the one on the seat is stale (MIC-11, RES-6)', () => {
    room.when(confirm(session(1))).thenRejected('MIC_SESSION_STALE', { seat_no: '2' });
  });

  it('nobody confirms for another: the session alone opens nothing', () => {
    for (const role of ['user', 'service', 'operator'] as const) {
      room
        .when(confirm(session(3)), { by: bob, role })
        .thenRejected('NOT_ON_SEAT', { user_id: bob });
    }
  });
});

describe('When active and the session is publishing', () => {
  const room = given(...history, publishing(on(2, alice, 3)));

  it('confirming again is a success without effect', () => {
    room.when(confirm(session(3))).thenNoEffect(result);
  });

  it('confirming another session is stale', () => {
    room.when(confirm(session(1))).thenRejected('MIC_SESSION_STALE', { seat_no: '2' });
  });

  it('a client’s confirmation does not forget the RTC event time that was seen', () => {
    const seen = given(
      ...history,
      publishing(on(2, alice, 3), 777),
      publishing(on(2, alice, 3), 0),
    );
    expect(seen.state.seats[1]?.occupancy?.lastPublishEventTimeMs).toBe(777);
  });
});

describe('When active and the user is not seated', () => {
  it('ConfirmMicPublishing finds no seat', () => {
    given(created(), joined(alice))
      .when(confirm(session(3)))
      .thenRejected('NOT_ON_SEAT', { user_id: alice });
  });
});
