/** SetAdmin (decision 13): the owner's alone. */
import { describe, expect, it } from 'vitest';
import { withoutAdmin } from '../../../../src/domain/roles/evolve-roles.ts';
import { adminsMax } from '../../../../src/domain/room/room-limits.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asUser,
  bob,
  carol,
  created,
  joined,
  kicked,
  owner,
} from '../../../support/room-builders.ts';

const setAdmin = (userId: typeof alice, isAdmin = true) =>
  ({ type: 'SetAdmin', userId, isAdmin }) as const;
const byOwner = { by: owner };
const room = given(created(), [joined(alice), joined(bob)], adminSet(bob));

describe('When the owner gives or takes an admin’s rights', () => {
  it('a member becomes an admin and a member again, present or not', () => {
    for (const userId of [alice, carol]) {
      const made = room.when(setAdmin(userId), byOwner).thenApplied([adminSet(userId)], {});
      expect(made.state.admins).toEqual([userId, bob].sort());
      const taken = made
        .room()
        .when(setAdmin(userId, false), byOwner)
        .thenApplied([adminSet(userId, false)], {});
      expect(taken.state.admins).toEqual([bob]);
    }
  });

  it('the list stands in one order, whatever the order of the commands', () => {
    const forth = given(created(), adminSet(alice), adminSet(bob), adminSet(carol));
    const back = given(created(), adminSet(carol), adminSet(bob), adminSet(alice));
    expect(back.state.admins).toEqual(forth.state.admins);
  });

  it('taking away one who is none leaves the very list', () => {
    expect(withoutAdmin(room.state.admins, alice)).toBe(room.state.admins);
    expect(withoutAdmin(room.state.admins, bob)).toEqual([]);
  });

  it('what is so already is a success without effect, of the owner too', () => {
    room.when(setAdmin(bob), byOwner).thenNoEffect();
    room.when(setAdmin(alice, false), byOwner).thenNoEffect();
    room.when(setAdmin(owner, false), byOwner).thenNoEffect();
  });

  it('the owner is no admin beside it', () => {
    room
      .when(setAdmin(owner), byOwner)
      .thenRejected('TARGET_PROTECTED', { user_id: 'owner', role: 'owner' });
  });

  it('a banned user cannot become one, a ban with an end or without', () => {
    for (const expiresAtMs of [0, 5_000_000]) {
      given(created(), kicked(alice, { expiresAtMs }))
        .when(setAdmin(alice), byOwner)
        .thenRejected('USER_BANNED', { user_id: 'alice' });
    }
    given(created(), kicked(alice)).when(setAdmin(alice, false), byOwner).thenNoEffect();
  });
});

describe('When there are as many admins as may be', () => {
  const crowd = Array.from({ length: adminsMax }, (_, n) => asUser(`admin-${n}`));
  const full = given(
    created(),
    crowd.map((userId) => adminSet(userId)),
  );

  it('one more is refused, until the rights of another are taken', () => {
    expect(adminsMax).toBe(20);
    full.when(setAdmin(alice), byOwner).thenRejected('TOO_MANY_ADMINS', { admins_max: '20' });
    full
      .after(setAdmin(asUser('admin-3'), false), byOwner)
      .when(setAdmin(alice), byOwner)
      .room();
  });

  it('one who is banned is told so first', () => {
    const banned = full.after(
      { type: 'KickUser', userId: alice, reason: '', expiresAtMs: 0 },
      {
        by: owner,
      },
    );
    banned.when(setAdmin(alice), byOwner).thenRejected('USER_BANNED', { user_id: 'alice' });
  });
});

describe('Who may', () => {
  it.each([
    ['service', alice],
    ['operator', alice],
  ] as const)('role %s may', (role, by) => {
    room.when(setAdmin(carol), { role, by }).thenApplied([{ ...adminSet(carol), byUserId: by }]);
  });

  it('an admin and a member may not, whatever they ask', () => {
    for (const by of [alice, bob]) {
      for (const body of [setAdmin(carol), setAdmin(bob, false), setAdmin(bob), setAdmin(owner)]) {
        room.when(body, { by }).thenRejected('NOT_ROOM_OWNER', { actor_user_id: by });
      }
    }
  });
});
