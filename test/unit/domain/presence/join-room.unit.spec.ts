/** JoinRoom (PRES-1, PRES-3, PRES-4, PRES-9…12, PRES-16, PRES-20, decisions 30 and 31). */
import { describe, expect, it } from 'vitest';
import type { PresentUser } from '../../../../src/domain/room/state.ts';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import { joinRoom, verdict } from '../../../support/command-builders.ts';
import {
  alice,
  bob,
  closed,
  created,
  joined,
  kicked,
  left,
  owner,
  profileOf,
  staleLeft,
  unbanned,
  updated,
} from '../../../support/room-builders.ts';

const profile = profileOf('alice');

function aliceSince(version: number, fields: Partial<PresentUser> = {}): PresentUser {
  return {
    userId: alice,
    profile,
    isRobot: false,
    joinedAtMs: timeOf(version),
    joinedAtVersion: BigInt(version) as RoomVersion,
    ...fields,
  };
}

describe('When active and the user is absent', () => {
  it('JoinRoom makes the user present and answers the user as now present (PRES-3, RES-4, CMD-2)', () => {
    const outcome = given(created())
      .when(joinRoom(profile))
      .thenApplied([joined(alice)], { user: aliceSince(2) });
    expect(outcome.state.users.get(alice)).toEqual(aliceSince(2));
    expect(outcome.state.users.size).toBe(1);
  });

  it('JoinRoom after a leave is a new stay with its own version', () => {
    given(created(), joined(alice), left(alice))
      .when(joinRoom(profile))
      .thenApplied([joined(alice)], { user: aliceSince(4) });
  });

  it('the owner joins like anybody; creating the room did not do it', () => {
    const { state } = given(created()).when(joinRoom(profileOf('owner')), { by: owner });
    expect(state.users.has(owner)).toBe(true);
  });

  it('JoinRoom is refused when the room holds as many as it may, and not one earlier', () => {
    const limits = { usersPerRoomMax: 2 };
    given(created(), joined(bob))
      .when(joinRoom(profile), { limits })
      .thenApplied([joined(alice)]);
    given(created(), joined(bob), joined(owner))
      .when(joinRoom(profile), { limits })
      .thenRejected('ROOM_FULL', { users_max: '2' });
  });
});

describe('When active and the user is present', () => {
  const room = given(created(), joined(alice));

  it('JoinRoom with the same profile is a refresh without effect and answers the stay (PRES-4, PRES-20)', () => {
    room.when(joinRoom(profileOf('alice'))).thenNoEffect({ user: aliceSince(2) });
  });

  it.each([
    ['nickname', 'Alice!'],
    ['avatarUrl', 'https://cdn.test/other'],
    ['countryCode', 'FR'],
    ['ext', 'x'],
  ])(
    'JoinRoom with another %s updates the user and joins nobody twice (PRES-20)',
    (field, value) => {
      const changed = { ...profile, [field]: value };
      const outcome = room
        .when(joinRoom(changed))
        .thenApplied([updated(alice, changed)], { user: aliceSince(2, { profile: changed }) });
      expect(outcome.state.users.get(alice)).toEqual(aliceSince(2, { profile: changed }));
      expect(outcome.state.users.size).toBe(1);
    },
  );

  it('a reconnect needs neither room nor password (PWD-2)', () => {
    given(created({ passwordHash: 'scrypt$x' }), joined(alice))
      .when(joinRoom(profile, verdict('mismatch')), { limits: { usersPerRoomMax: 1 } })
      .thenNoEffect({ user: aliceSince(2) });
  });

  it('a refresh turns nobody into a robot', () => {
    room
      .when(joinRoom(profile, { isRobot: true }), { role: 'service' })
      .thenNoEffect({ user: aliceSince(2) });
  });
});

describe('When a robot joins', () => {
  const robot = joinRoom(profile, { isRobot: true });

  it('a service may bring it, and the stay is marked', () => {
    given(created())
      .when(robot, { role: 'service' })
      .thenApplied([joined(alice, { isRobot: true })], { user: aliceSince(2, { isRobot: true }) });
  });

  it.each(['user', 'operator', 'system'] as const)('role %s may not, owner or not', (role) => {
    given(created()).when(robot, { role }).thenRejected('ROBOT_NOT_ALLOWED');
    given(created()).when(robot, { role, by: owner }).thenRejected('ROBOT_NOT_ALLOWED');
  });

  it('presence is no way around the rule', () => {
    given(created(), joined(alice)).when(robot).thenRejected('ROBOT_NOT_ALLOWED');
  });

  it('it takes a place in the room like anybody', () => {
    given(created(), joined(bob))
      .when(robot, { role: 'service', limits: { usersPerRoomMax: 1 } })
      .thenRejected('ROOM_FULL', { users_max: '1' });
  });
});

describe('When the user is banned from the room', () => {
  const endMs = 5_000_000;
  const forEver = given(created({ passwordHash: 'scrypt$x' }), kicked(alice));
  const temporary = given(
    created({ passwordHash: 'scrypt$x' }),
    kicked(alice, { expiresAtMs: endMs }),
  );
  const matching = joinRoom(profile, verdict('match'));

  it('JoinRoom is refused with the reason, and with the end of a ban that has one (PRES-16)', () => {
    forEver.when(matching).thenRejected('USER_BANNED', { user_id: 'alice', reason: 'rude' });
    const facts = { user_id: 'alice', reason: 'rude', expires_at_ms: String(endMs) };
    temporary.when(matching, { atMs: endMs - 1 }).thenRejected('USER_BANNED', facts);
  });

  it('it is told nothing about the password nor about how full the room is', () => {
    for (const word of ['match', 'mismatch', 'none_given'] as const) {
      forEver
        .when(joinRoom(profile, verdict(word, 0n)), { limits: { usersPerRoomMax: 0 } })
        .thenRejected('USER_BANNED', { user_id: 'alice', reason: 'rude' });
    }
  });

  it('a service and an operator cannot bring the user in either', () => {
    for (const role of ['service', 'operator'] as const) {
      forEver
        .when(matching, { role })
        .thenRejected('USER_BANNED', { user_id: 'alice', reason: 'rude' });
    }
  });

  it('a ban whose time is over keeps nobody out, timer or no timer, and ends with the join', () => {
    const outcome = temporary.when(matching, { atMs: endMs });
    outcome.thenApplied([unbanned(alice, alice, 'expired'), joined(alice)], {
      user: aliceSince(3, { joinedAtMs: endMs }),
    });
    expect(outcome.state.bans.size).toBe(0);
    expect(outcome.state.users.has(alice)).toBe(true);
  });

  it('a ban whose time is over is no way around the password, and stays when the join is refused', () => {
    const mismatch = joinRoom(profile, verdict('none_given'));
    const outcome = temporary.when(mismatch, { atMs: endMs });
    outcome.thenRejected('WRONG_PASSWORD', { verdict: 'none_given' });
  });

  it('after UnbanUser the user joins again (PRES-11)', () => {
    forEver
      .after({ type: 'UnbanUser', userId: alice }, { by: owner })
      .when(matching)
      .thenApplied([joined(alice)]);
  });

  it('the ban of one keeps no other out', () => {
    forEver.when(joinRoom(profileOf('bob'), verdict('match')), { by: bob }).room();
  });
});

describe('When the platform has banned the user', () => {
  const banned = joinRoom(profile, { isPlatformBanned: true });

  it('JoinRoom is refused, present or absent, owner or not, whoever asks (decision 30)', () => {
    for (const by of [alice, bob, owner]) {
      for (const role of ['user', 'service', 'operator', 'system'] as const) {
        given(created(), joined(alice))
          .when(banned, { by, role })
          .thenRejected('USER_PLATFORM_BANNED', { user_id: by });
      }
    }
  });

  it('the platform’s word comes before the room’s own ban', () => {
    given(created(), kicked(alice))
      .when(banned)
      .thenRejected('USER_PLATFORM_BANNED', { user_id: 'alice' });
  });

  it('a robot that no service brings is told so first', () => {
    given(created())
      .when(joinRoom(profile, { isPlatformBanned: true, isRobot: true }))
      .thenRejected('ROBOT_NOT_ALLOWED');
  });
});

describe('When the room is full and has a password', () => {
  it('a join is told that it is full, whatever its password', () => {
    given(created({ passwordHash: 'scrypt$x' }), joined(bob))
      .when(joinRoom(profile, verdict('mismatch', 0n)), { limits: { usersPerRoomMax: 1 } })
      .thenRejected('ROOM_FULL', { users_max: '1' });
  });
});

describe('When the user left by itself, was swept, or was closed out', () => {
  it('a user who left or went stale joins again (PRES-9, PRES-10)', () => {
    for (const end of [left(alice), staleLeft(alice)]) {
      given(created(), joined(alice), end)
        .when(joinRoom(profile))
        .thenApplied([joined(alice)], { user: aliceSince(4) });
    }
  });

  it('a closed room lets nobody back in (PRES-12)', () => {
    given(created(), joined(alice), closed({ finalOnlineCount: 1 }))
      .when(joinRoom(profile))
      .thenRejected('ROOM_CLOSED', { room_status: 'closed' });
  });
});
