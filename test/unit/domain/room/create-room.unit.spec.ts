/** CreateRoom (ROOM-3, decision 28). */
import { describe, expect, it } from 'vitest';
import { given, startMs } from '../../../support/decider-spec.ts';
import { createRoom } from '../../../support/command-builders.ts';
import { alice, app, created, owner, room } from '../../../support/room-builders.ts';

describe('When the room is absent', () => {
  it('CreateRoom makes it active with open seats and nobody in it, the actor its owner (ROOM-3, PRES-2, MIC-2, CMD-1, EVT-1)', () => {
    const outcome = given().when(createRoom(), { by: owner }).thenApplied([created()], {});
    expect(outcome.state).toMatchObject({
      appCode: app,
      roomId: room,
      status: 'active',
      version: 1n,
      ownerUserId: owner,
      mode: 'free',
      visibleRegionId: 9007199254740993n,
      passwordHash: '',
      createdAtMs: startMs,
      lastEventAtMs: startMs,
      closeInfo: null,
      profile: {
        title: 'Evening talk',
        coverUrl: 'https://cdn.test/cover',
        announcement: '',
        backgroundUrl: 'https://cdn.test/background',
        tags: ['music'],
        ext: 'opaque',
      },
    });
    expect(outcome.state.users.size).toBe(0);
    expect(outcome.state.seats).toEqual(
      [1, 2, 3].map((seatNo) => ({ seatNo, locked: false, muted: false, occupancy: null })),
    );
  });

  it('CreateRoom keeps the password hash and starts its version at 1', () => {
    const { state } = given().when(createRoom({ passwordHash: 'scrypt$x' }), { by: owner });
    expect(state).toMatchObject({ passwordHash: 'scrypt$x', passwordVersion: 1n });
  });

  it('CreateRoom by a service makes the actor the owner, whoever the service is', () => {
    const { state } = given().when(createRoom(), { by: alice, role: 'service' });
    expect(state.ownerUserId).toBe(alice);
  });

  it('a room that could not be closed in one command is not made', () => {
    const limits = { eventsPerCommandMax: 4 };
    given()
      .when(createRoom({ seatCount: 3 }), { limits })
      .thenApplied([created({ ownerUserId: alice })]);
    given()
      .when(createRoom({ seatCount: 4 }), { limits })
      .thenRejected('RESULT_TOO_LARGE', { seat_count: '4', seat_count_max: '3' });
  });

  it.each([0, -1])('a seat count of %i makes a room without seats', (seatCount) => {
    const outcome = given()
      .when(createRoom({ seatCount }), { by: owner })
      .thenApplied([created({ seatCount: 0 })]);
    expect(outcome.state.seats).toEqual([]);
  });
});
