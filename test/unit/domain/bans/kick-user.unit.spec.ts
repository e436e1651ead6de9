/** KickUser (PRES-7, PRES-16, PRES-18, PRES-21, MIC-21, TST-12, decision 14). */
import { describe, expect, it } from 'vitest';
import { bansMax } from '../../../../src/domain/room/room-limits.ts';
import { joinRoom, kickUser, micUp } from '../../../support/command-builders.ts';
import { given, stepMs } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asUser,
  bob,
  carol,
  created,
  joined,
  kicked,
  left,
  micRequested,
  on,
  owner,
  profileOf,
  publishing,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const people = [joined(alice), joined(bob), joined(carol)];
const room = given(created(), people, adminSet(bob));
const byOwner = { by: owner };

describe('When the user is present', () => {
  it('KickUser takes the user out and bans it, in one command (PRES-7, PRES-16, CMD-10)', () => {
    const { state } = room
      .when(kickUser(alice), byOwner)
      .thenApplied([left(alice, 'kicked'), kicked(alice)], {});
    expect(state.users.has(alice)).toBe(false);
    expect(state.bans.get(alice)).toEqual({
      userId: alice,
      byUserId: owner,
      reason: 'rude',
      bannedAtMs: room.nextMs,
      expiresAtMs: 0,
    });
    expect(state.temporaryBans).toEqual([]);
  });

  it.each([
    ['pending', []],
    ['publishing', [publishing(on(2, alice, 3))]],
  ])(
    'a %s seat is freed before it, and others may take it at once (PRES-18, MIC-21, TST-12)',
    (_what, rest) => {
      const seated = given(created(), people, wentUp(on(2, alice, 3), 90_000_000), ...rest);
      const onMicMs = stepMs * (1 + rest.length);
      const after = seated
        .when(kickUser(alice), byOwner)
        .thenApplied([
          wentDown(on(2, alice, 3), 'kicked', onMicMs),
          left(alice, 'kicked'),
          kicked(alice),
        ]);
      after.room().when(micUp(2), { by: carol }).room();
    },
  );

  it('a kicked user cannot join again until unbanned (TST-12, PRES-11)', () => {
    const gone = room.after(kickUser(alice), byOwner);
    gone
      .when(joinRoom(profileOf('alice')))
      .thenRejected('USER_BANNED', { user_id: 'alice', reason: 'rude' });
    gone
      .after({ type: 'UnbanUser', userId: alice }, byOwner)
      .when(joinRoom(profileOf('alice')))
      .thenApplied([joined(alice)]);
  });

  it('what the user had asked for at the mic ends with it', () => {
    const waiting = given(created({ mode: 'apply' }), people, micRequested(alice, 90_000_000));
    expect(waiting.after(kickUser(alice), byOwner).state.micRequests).toEqual([]);
  });

  it('a ban with an end is kept with it (decision 14)', () => {
    const expiresAtMs = room.nextMs + 1;
    const { state } = room
      .when(kickUser(alice, { expiresAtMs, reason: 'spam' }), byOwner)
      .thenApplied([left(alice, 'kicked'), kicked(alice, { expiresAtMs, reason: 'spam' })]);
    expect(state.temporaryBans.map(({ userId }) => userId)).toEqual([alice]);
  });

  it('an admin who is kicked is none any more, and unbanned comes back as a member', () => {
    const { state } = room
      .when(kickUser(bob), byOwner)
      .thenApplied([left(bob, 'kicked'), kicked(bob)]);
    expect(state.admins).toEqual([]);
  });
});

describe('When the user is absent', () => {
  it('the ban is written all the same (PRES-21)', () => {
    const dave = asUser('dave');
    const { state } = room.when(kickUser(dave), byOwner).thenApplied([kicked(dave)]);
    expect(state.bans.has(dave)).toBe(true);
  });
});

describe('When the user is banned already', () => {
  const endMs = 5_000_000;
  const banned = given(created(), kicked(alice, { expiresAtMs: endMs }));

  it('the same ban again is a success without effect, and the first banner stays', () => {
    const again = kickUser(alice, { expiresAtMs: endMs });
    const outcome = banned.when(again, { role: 'operator', by: carol }).thenNoEffect();
    expect(outcome.state.bans.get(alice)?.byUserId).toBe(owner);
  });

  it.each([
    ['another end', { expiresAtMs: endMs + 1 }],
    ['no end', { expiresAtMs: 0 }],
    ['another reason', { expiresAtMs: endMs, reason: 'spam' }],
  ])('%s replaces it', (_what, fields) => {
    const { state } = banned
      .when(kickUser(alice, fields), byOwner)
      .thenApplied([kicked(alice, fields)]);
    expect(state.bans.size).toBe(1);
    expect(state.bans.get(alice)).toMatchObject(fields);
  });
});

describe('When the end of the ban has passed', () => {
  it('it is refused, to the millisecond, of whomever it is', () => {
    for (const userId of [alice, asUser('dave')]) {
      const expiresAtMs = room.nextMs;
      room
        .when(kickUser(userId, { expiresAtMs }), byOwner)
        .thenRejected('BAN_END_PAST', { expires_at_ms: String(expiresAtMs) });
      room.when(kickUser(userId, { expiresAtMs: expiresAtMs + 1 }), byOwner).room();
    }
  });
});

describe('When as many are banned as may be', () => {
  const crowd = Array.from({ length: bansMax }, (_, n) => asUser(`banned-${n}`));
  const full = given(created(), [joined(alice), ...crowd.map((userId) => kicked(userId))]);

  it('one more is refused, present or not, and nobody is taken out', () => {
    expect(bansMax).toBe(5_000);
    const outcome = full.when(kickUser(alice), byOwner);
    outcome.thenRejected('BAN_LIST_FULL', { bans_max: '5000' });
    expect(outcome.state.users.has(alice)).toBe(true);
  });

  it('a ban that stands already may still be changed, and an unban makes a place', () => {
    const first = asUser('banned-0');
    full.when(kickUser(first, { reason: 'worse' }), byOwner).room();
    full.after({ type: 'UnbanUser', userId: first }, byOwner).when(kickUser(alice), byOwner).room();
  });
});

describe('Who may kick whom', () => {
  const ranks = given(created(), people, [adminSet(bob), adminSet(carol)]);
  const protectedAs = (userId: string, role: string) => ({ user_id: userId, role });

  it('a member kicks nobody, not even itself, be the end of the ban right or wrong', () => {
    for (const userId of [alice, bob, owner]) {
      for (const expiresAtMs of [0, 1]) {
        ranks
          .when(kickUser(userId, { expiresAtMs }))
          .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
      }
    }
  });

  it('an admin kicks members only, and nobody of its own rank, itself included', () => {
    ranks.when(kickUser(alice), { by: bob }).room();
    for (const userId of [bob, carol]) {
      ranks
        .when(kickUser(userId, { expiresAtMs: 1 }), { by: bob })
        .thenRejected('TARGET_PROTECTED', protectedAs(userId, 'admin'));
    }
    ranks
      .when(kickUser(owner), { by: bob })
      .thenRejected('TARGET_PROTECTED', protectedAs('owner', 'owner'));
  });

  it('the owner and the platform kick admins too, and nobody kicks the owner', () => {
    for (const options of [byOwner, { role: 'service' }, { role: 'operator' }] as const) {
      ranks.when(kickUser(bob), options).room();
      ranks
        .when(kickUser(owner), options)
        .thenRejected('TARGET_PROTECTED', protectedAs('owner', 'owner'));
    }
  });
});
