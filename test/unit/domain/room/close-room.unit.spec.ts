/** CloseRoom (ROOM-6, ROOM-12…17, ROOM-19, MIC-15, META-5). */
import { describe, expect, it } from 'vitest';
import { given, timeOf } from '../../../support/decider-spec.ts';
import { closeRoom, lockSeat, muteSeat } from '../../../support/command-builders.ts';
import {
  adminSet,
  alice,
  bob,
  carol,
  closed,
  created,
  gifted,
  joined,
  on,
  owner,
  publishing,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

/** alice on seat 3 since version 4, bob publishing on seat 1 since version 5, carol in the crowd. */
const busyRoom = given(
  created(),
  [joined(alice), joined(bob)],
  joined(carol),
  wentUp(on(3, alice, 4), 90_000_000),
  wentUp(on(1, bob, 5), 90_000_000),
  publishing(on(1, bob, 5)),
);

describe('When the room is active', () => {
  it('CloseRoom frees the seats in seat order, then closes, in one command (ROOM-14, MIC-21, CMD-13)', () => {
    const now = busyRoom.nextMs;
    busyRoom
      .when(closeRoom(), { by: owner })
      .thenApplied(
        [
          wentDown(on(1, bob, 5), 'room_closed', now - timeOf(5)),
          wentDown(on(3, alice, 4), 'room_closed', now - timeOf(4)),
          closed({ finalOnlineCount: 3 }),
        ],
        {},
      );
  });

  it('CloseRoom empties presence, keeps seat numbers, locks and mutes (MIC-15), and tells who closed it (ROOM-13, PRES-8, META-5, RES-30)', () => {
    const room = busyRoom.after(lockSeat(2), { by: owner }).after(muteSeat(1), { by: owner });
    const after = room.when(closeRoom({ reason: 'late', note: 'n' }), { by: owner }).state;
    expect(after.status).toBe('closed');
    expect(after.users.size).toBe(0);
    expect(after.seats).toEqual([
      { seatNo: 1, locked: false, muted: true, occupancy: null },
      { seatNo: 2, locked: true, muted: false, occupancy: null },
      { seatNo: 3, locked: false, muted: false, occupancy: null },
    ]);
    expect(after.closeInfo).toEqual({
      closedByUserId: owner,
      closedByKind: 'owner',
      reason: 'late',
      note: 'n',
      closedAtMs: room.nextMs,
      finalOnlineCount: 3,
      finalHeat: 0n,
    });
  });

  it('CloseRoom tells the final heat, and the closed room keeps it (META-5)', () => {
    const heat = 9_007_199_254_740_993n;
    const outcome = given(created(), joined(alice), gifted(alice, alice, heat)).when(closeRoom(), {
      by: owner,
    });
    outcome.thenApplied([closed({ finalOnlineCount: 1, finalHeat: heat })]);
    expect(outcome.state.closeInfo?.finalHeat).toBe(heat);
    expect(outcome.state.heat).toBe(heat);
  });

  it('CloseRoom of an empty room makes RoomClosed alone (ROOM-16, EVT-2)', () => {
    given(created()).when(closeRoom(), { by: owner }).thenApplied([closed()]);
  });

  it.each([
    ['user', owner, 'owner'],
    ['user', bob, 'admin'],
    ['service', owner, 'owner'],
    ['service', bob, 'admin'],
    ['service', alice, 'operator'],
    ['operator', alice, 'operator'],
    ['operator', owner, 'operator'],
    ['operator', bob, 'operator'],
    ['system', owner, 'system'],
  ] as const)('CloseRoom by role %s as %s is told as closed by %s', (role, by, closedByKind) => {
    given(created(), adminSet(bob))
      .when(closeRoom(), { by, role })
      .thenApplied([closed({ closedByUserId: by, closedByKind })]);
  });

  it('CloseRoom is refused to everybody else, present or not', () => {
    for (const by of [alice, carol]) {
      given(created(), joined(carol))
        .when(closeRoom(), { by })
        .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: by });
    }
  });

  it('CloseRoom that would make more events than one command may is refused whole', () => {
    busyRoom
      .when(closeRoom(), { by: owner, limits: { eventsPerCommandMax: 2 } })
      .thenRejected('RESULT_TOO_LARGE', { events: '3', events_max: '2' });
    busyRoom.when(closeRoom(), { by: owner, limits: { eventsPerCommandMax: 3 } }).room();
  });
});

describe('When the room is closed', () => {
  const room = given(created(), closed({ reason: 'first' }));

  it('closing again is a success without effect, and the first closing stays (ROOM-19)', () => {
    for (const role of ['service', 'operator', 'system'] as const) {
      room.when(closeRoom({ reason: 'second' }), { role }).thenNoEffect();
    }
    const outcome = room.when(closeRoom({ reason: 'second' }), { by: owner }).thenNoEffect();
    expect(outcome.state.closeInfo?.reason).toBe('first');
  });

  it('a stranger gets the answer it gets from an open room', () => {
    const fromOpen = given(created()).when(closeRoom(), { by: alice });
    expect(room.when(closeRoom(), { by: alice }).decision).toEqual(fromOpen.decision);
    room.when(closeRoom()).thenRejected('NOT_ROOM_MANAGER', { actor_user_id: alice });
  });
});
