/** JoinRoom (PRES-3, PRES-4, PRES-9, PRES-20, PWD-2, decisions 23 and 31). */
import { describe, expect, it } from 'vitest';
import type { PresentUser } from '../../../../src/domain/room/state.ts';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  created,
  joined,
  joinRoom,
  left,
  owner,
  profileOf,
  updated,
  verdict,
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
  it('JoinRoom makes the user present and answers the user as now present', () => {
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

  it('JoinRoom with the same profile is a refresh without effect and answers the stay', () => {
    room.when(joinRoom(profileOf('alice'))).thenNoEffect({ user: aliceSince(2) });
  });

  it.each([
    ['nickname', 'Alice!'],
    ['avatarUrl', 'https://cdn.test/other'],
    ['countryCode', 'FR'],
    ['ext', 'x'],
  ])('JoinRoom with another %s updates the user and joins nobody twice', (field, value) => {
    const changed = { ...profile, [field]: value };
    const outcome = room
      .when(joinRoom(changed))
      .thenApplied([updated(alice, changed)], { user: aliceSince(2, { profile: changed }) });
    expect(outcome.state.users.get(alice)).toEqual(aliceSince(2, { profile: changed }));
    expect(outcome.state.users.size).toBe(1);
  });

  it('a reconnect needs neither room nor password', () => {
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

describe('When the room has a password', () => {
  const room = given(created({ passwordHash: 'scrypt$x' }));

  it('a matching verdict for the present password opens it', () => {
    room.when(joinRoom(profile, verdict('match'))).thenApplied([joined(alice)]);
  });

  it.each(['mismatch', 'none_given'] as const)('the verdict %s is refused', (word) => {
    room.when(joinRoom(profile, verdict(word))).thenRejected('WRONG_PASSWORD', { verdict: word });
  });

  it.each(['match', 'mismatch', 'none_given'] as const)(
    'a verdict for an older password is stale, whatever it says (%s)',
    (word) => {
      room
        .when(joinRoom(profile, verdict(word, 0n)))
        .thenRetry('FACT_STALE', { password_version: '1' });
    },
  );

  it('a verdict for a newer password than ours is stale too', () => {
    room
      .when(joinRoom(profile, verdict('match', 2n)))
      .thenRetry('FACT_STALE', { password_version: '1' });
  });

  it('the owner needs none', () => {
    room.when(joinRoom(profile, verdict('mismatch')), { by: owner }).room();
  });

  it('a robot of a service needs none, a person named by a service does', () => {
    const role = 'service';
    room.when(joinRoom(profile, { isRobot: true }), { role }).room();
    room
      .when(joinRoom(profile, verdict('none_given')), { role })
      .thenRejected('WRONG_PASSWORD', { verdict: 'none_given' });
  });

  it('an operator needs it too', () => {
    room
      .when(joinRoom(profile, verdict('mismatch')), { role: 'operator', by: asUser('op') })
      .thenRejected('WRONG_PASSWORD', { verdict: 'mismatch' });
  });
});

describe('When the room has no password', () => {
  it.each([
    ['mismatch', 1n],
    ['none_given', 0n],
    ['match', 7n],
  ] as const)('the verdict %s about version %i is ignored', (word, version) => {
    given(created())
      .when(joinRoom(profile, verdict(word, version)))
      .thenApplied([joined(alice)]);
  });
});
