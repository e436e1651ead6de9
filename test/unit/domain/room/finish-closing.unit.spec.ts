/** Closing with a grace: CloseRoom announces, FinishClosing ends (ROOM-4, ROOM-5, ROOM-10). */
import { describe, expect, it } from 'vitest';
import {
  charged,
  closeRoom,
  joinRoom,
  leaveRoom,
  sendGift,
} from '../../../support/command-builders.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  bob,
  closed,
  closing,
  created,
  gifted,
  joined,
  kicked,
  micRequested,
  on,
  owner,
  profileOf,
  publishing,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const finish = { type: 'FinishClosing' } as const;
const graceMs = 30_000;
const times = { closeGraceMs: graceMs };
const history = [
  created({ mode: 'apply' }),
  [joined(alice), joined(bob), adminSet(bob)],
  wentUp(on(3, alice, 3), 90_000_000),
  wentUp(on(1, bob, 4), 90_000_000),
  publishing(on(1, bob, 4)),
  gifted(alice, bob, 7n),
] as const;
const room = given(...history);
const closesAtMs = room.nextMs + graceMs;
const ending = room.after(closeRoom(), { by: owner, times });

describe('When a grace is configured', () => {
  it('CloseRoom announces the end and frees nobody yet (ROOM-4)', () => {
    const { state } = room
      .when(closeRoom({ reason: 'late', note: 'n' }), { by: bob, times })
      .thenApplied(
        [
          closing(closesAtMs, {
            closedByUserId: bob,
            closedByKind: 'admin',
            reason: 'late',
            note: 'n',
          }),
        ],
        {},
      );
    expect(state.status).toBe('closing');
    expect(state.closing).toEqual({
      closedByUserId: bob,
      closedByKind: 'admin',
      reason: 'late',
      note: 'n',
      closesAtMs,
    });
    expect([state.users, state.seats]).toEqual([room.state.users, room.state.seats]);
  });

  it('the shortest grace is one millisecond; without one the room closes at once (ROOM-6)', () => {
    room
      .when(closeRoom(), { by: owner, times: { closeGraceMs: 1 } })
      .thenApplied([closing(room.nextMs + 1)]);
    expect(room.when(closeRoom(), { by: owner, times: { closeGraceMs: 0 } }).state.status).toBe(
      'closed',
    );
  });
});

describe('When the room is closing', () => {
  it('at its time, and not before, it closes with the words of who announced it (ROOM-5)', () => {
    ending.when(finish, { role: 'system', atMs: closesAtMs - 1 }).thenNoEffect();
    const { state } = ending
      .when(finish, { role: 'system', by: alice, atMs: closesAtMs })
      .thenApplied(
        [
          wentDown(on(1, bob, 4), 'room_closed', closesAtMs - timeOf(4)),
          wentDown(on(3, alice, 3), 'room_closed', closesAtMs - timeOf(3)),
          closed({ finalOnlineCount: 2, finalHeat: 7n }),
        ],
        {},
      );
    expect(state.status).toBe('closed');
    expect([state.users.size, state.closing]).toEqual([0, null]);
    expect(state.closeInfo).toMatchObject({ closedByUserId: owner, closedAtMs: closesAtMs });
  });

  it('a late timer closes it all the same, at the time at which it runs', () => {
    const late = ending.when(finish, { role: 'system', atMs: closesAtMs + 60_000 });
    expect(late.state.closeInfo?.closedAtMs).toBe(closesAtMs + 60_000);
  });

  it('the end drops bans, requests and counted passwords, so that no timer is left', () => {
    const { state } = given(
      created({ mode: 'apply' }),
      [joined(alice), kicked(owner, { expiresAtMs: 80_000_000 })],
      micRequested(alice, 80_000_000),
      { type: 'RoomPasswordAttemptFailed', userId: bob, attempts: 1, windowStartedAtMs: 1 },
      closing(closesAtMs),
    ).when(finish, { role: 'system', atMs: closesAtMs });
    expect([state.bans.size, state.temporaryBans, state.micRequests]).toEqual([0, [], []]);
    expect(state.passwordAttempts.size).toBe(0);
  });

  it('it takes no business command, nor a gift that was paid meanwhile (ROOM-10, TST-11)', () => {
    const no = { room_status: 'closing' };
    ending.when(joinRoom(profileOf('carol'))).thenRejected('ROOM_CLOSED', no);
    ending.when(leaveRoom).thenRejected('ROOM_CLOSED', no);
    ending.when(sendGift([bob]), { charge: charged(1n) }).thenRejected('ROOM_CLOSED', no);
  });

  it('closing it again is a success without effect, and neither words nor time change', () => {
    for (const closeGraceMs of [0, graceMs]) {
      const again = ending
        .when(closeRoom({ reason: 'second' }), { by: bob, times: { closeGraceMs } })
        .thenNoEffect();
      expect(again.state.closing).toMatchObject({ reason: 'ended', closesAtMs });
    }
    ending.when(closeRoom()).thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
  });
});

describe('When there is nothing to finish', () => {
  it('an active room goes on, a closed one stays as it is', () => {
    const late = { role: 'system', atMs: 90_000_000 } as const;
    room.when(finish, late).thenNoEffect();
    ending.after(finish, late).when(finish, late).thenNoEffect();
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'rtc'] as const)('role %s cannot send it', (role) => {
    ending
      .when(finish, { role, by: owner, atMs: closesAtMs })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
  });
});
