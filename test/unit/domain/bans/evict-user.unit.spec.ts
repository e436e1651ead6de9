/** EvictUser: the platform takes a user out of one room (MIC-21, decision 30). */
import { describe, expect, it } from 'vitest';
import { evictUser } from '../../../support/command-builders.ts';
import { given, stepMs } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asUser,
  bob,
  closing,
  created,
  evicted,
  joined,
  kicked,
  left,
  on,
  owner,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const op = asUser('op');
const byOperator = { role: 'operator', by: op } as const;
const room = given(
  created(),
  [joined(alice), joined(bob), joined(owner)],
  adminSet(bob),
  wentUp(on(2, alice, 4), 90_000_000),
);

describe('When the user is present', () => {
  it('EvictUser frees the seat, takes the user out and says why, without a ban of the room (MIC-21, CMD-24)', () => {
    const { state } = room
      .when(evictUser(alice), byOperator)
      .thenApplied(
        [wentDown(on(2, alice, 4), 'evicted', stepMs), left(alice, 'evicted'), evicted(alice, op)],
        {},
      );
    expect(state.users.has(alice)).toBe(false);
    expect(state.bans.size).toBe(0);
  });

  it('nobody is protected from the platform: admin and owner go, and keep their role', () => {
    const { state } = room
      .when(evictUser(bob), byOperator)
      .thenApplied([left(bob, 'evicted'), evicted(bob, op)]);
    expect(state.admins).toEqual([bob]);
    const gone = room.when(evictUser(owner, ''), byOperator);
    gone.thenApplied([left(owner, 'evicted'), evicted(owner, op, '')]);
    expect(gone.state.ownerUserId).toBe(owner);
  });

  it('a closing room is no shelter', () => {
    given(created(), joined(alice), closing(90_000_000))
      .when(evictUser(alice), byOperator)
      .thenApplied([left(alice, 'evicted'), evicted(alice, op)]);
  });
});

describe('When the user is absent', () => {
  it('EvictUser is a success without effect, and a ban of the room stays', () => {
    const banned = given(created(), kicked(alice));
    const outcome = banned.when(evictUser(alice), byOperator).thenNoEffect();
    expect(outcome.state.bans.has(alice)).toBe(true);
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'system', 'rtc'] as const)('role %s may not', (role) => {
    for (const userId of [alice, asUser('nobody')]) {
      room
        .when(evictUser(userId), { role, by: owner })
        .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
    }
  });
});
