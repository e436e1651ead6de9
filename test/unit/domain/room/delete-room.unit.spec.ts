/** DeleteRoom (ROOM-18, ROOM-19, decision 29). */
import { describe, expect, it } from 'vitest';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import { createRoom, deleteRoom } from '../../../support/command-builders.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  app,
  bob,
  closed,
  closing,
  created,
  deleted,
  gifted,
  joined,
  kicked,
  micRequested,
  owner,
  room as roomId,
  seatLocked,
} from '../../../support/room-builders.ts';

const full = [
  created({ mode: 'apply', passwordHash: 'scrypt$x' }),
  [joined(alice), adminSet(bob)],
  seatLocked(2),
  gifted(alice, alice, 5n),
  [kicked(owner), micRequested(alice, 90_000_000)],
] as const;
const closedRoom = given(...full, closed({ finalOnlineCount: 1, finalHeat: 5n }));

describe('When the room is closed', () => {
  it('nothing is kept of it but its name, its owner and its times (ROOM-18)', () => {
    const { state } = closedRoom
      .when(deleteRoom({ reason: 'r', note: 'n' }), { by: owner })
      .thenApplied([deleted({ reason: 'r', note: 'n' })], {});
    expect(state).toEqual({
      ...initialRoomState(app, roomId),
      status: 'deleted',
      version: 7n,
      ownerUserId: owner,
      createdAtMs: timeOf(1),
      lastEventAtMs: closedRoom.nextMs,
    });
  });

  it.each([
    ['user', owner, 'owner'],
    ['service', owner, 'owner'],
    ['service', bob, 'admin'],
    ['service', alice, 'operator'],
    ['operator', owner, 'operator'],
    ['system', owner, 'system'],
  ] as const)(
    'DeleteRoom by role %s as %s is told as deleted by %s (CMD-14)',
    (role, by, byKind) => {
      closedRoom.when(deleteRoom(), { role, by }).thenApplied([deleted({ byUserId: by, byKind })]);
    },
  );
});

describe('When the room is not closed', () => {
  it.each([
    ['active', given(...full)],
    ['closing', given(...full, closing(90_000_000))],
  ])('an %s room is not deleted, and its state is told', (status, room) => {
    room.when(deleteRoom(), { by: owner }).thenRejected('ROOM_NOT_CLOSED', { room_status: status });
  });
});

describe('When the room is deleted', () => {
  const gone = closedRoom.after(deleteRoom(), { by: owner });

  it('deleting it again is a success without effect, for the owner and those above', () => {
    gone.when(deleteRoom(), { by: owner }).thenNoEffect();
    for (const role of ['service', 'operator'] as const) {
      gone.when(deleteRoom(), { role }).thenNoEffect();
    }
  });

  it('its name is taken for ever', () => {
    gone.when(createRoom(), { by: owner }).thenRejected('ROOM_ALREADY_EXISTS');
  });
});

describe('Who may', () => {
  it('an admin and a member may not, and get one answer in every state of the room', () => {
    const gone = closedRoom.after(deleteRoom(), { by: owner });
    for (const room of [given(...full), closedRoom, gone]) {
      for (const by of [alice, bob]) {
        room.when(deleteRoom(), { by }).thenRejected('NOT_ROOM_OWNER', { actor_user_id: by });
      }
    }
  });
});
