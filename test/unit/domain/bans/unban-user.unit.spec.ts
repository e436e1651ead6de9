/** UnbanUser (PRES-11, PRES-21). */
import { describe, expect, it } from 'vitest';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  bob,
  carol,
  created,
  joined,
  kicked,
  owner,
  unbanned,
} from '../../../support/room-builders.ts';

const unban = (userId = alice) => ({ type: 'UnbanUser', userId }) as const;
const room = given(
  created(),
  joined(bob),
  adminSet(bob),
  kicked(alice, { expiresAtMs: 5_000_000 }),
  kicked(carol, { expiresAtMs: 6_000_000 }),
);

describe('When the user is banned', () => {
  it.each([
    ['user', owner],
    ['user', bob],
    ['service', alice],
    ['operator', alice],
  ] as const)('a manager (role %s as %s) ends the ban of this user alone (CMD-11)', (role, by) => {
    const { state } = room.when(unban(), { role, by }).thenApplied([unbanned(alice, by)], {});
    expect([...state.bans.values()].map(({ userId }) => userId)).toEqual([carol]);
    expect(state.temporaryBans.map(({ userId }) => userId)).toEqual([carol]);
    expect(state.users.has(alice)).toBe(false);
  });

  it('a member may not, and learns not who is banned', () => {
    for (const userId of [alice, bob]) {
      room
        .when(unban(userId), { by: carol })
        .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'carol' });
    }
  });
});

describe('When the user is not banned', () => {
  it('UnbanUser is a success without effect, present, absent or unbanned before (PRES-21)', () => {
    room.when(unban(bob), { by: owner }).thenNoEffect();
    room.when(unban(owner), { by: owner }).thenNoEffect();
    room.after(unban(), { by: owner }).when(unban(), { by: owner }).thenNoEffect();
  });
});
