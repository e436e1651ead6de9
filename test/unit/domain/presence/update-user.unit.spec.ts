/** UpdateUser: a present user's profile (PRES-13: nothing but a join makes presence). */
import { describe, expect, it } from 'vitest';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  created,
  joined,
  on,
  owner,
  profileOf,
  updated,
  wentUp,
} from '../../../support/room-builders.ts';

const profile = profileOf('alice');
const update = (fields: Partial<typeof profile>) =>
  ({ type: 'UpdateUser', profile: { ...profile, ...fields } }) as const;
const room = given(created(), joined(alice), wentUp(on(2, alice, 3), 90_000_000));

describe('When active and the user is present', () => {
  it.each([
    ['nickname', 'Alice!'],
    ['avatarUrl', 'https://cdn.test/other'],
    ['countryCode', 'FR'],
    ['ext', 'x'],
  ])('another %s replaces the profile and leaves stay and seat as they are', (field, value) => {
    const before = room.state.users.get(alice);
    const changed = { ...profile, [field]: value };
    const user = { ...before, profile: changed } as NonNullable<typeof before>;
    const { state } = room
      .when(update({ [field]: value }))
      .thenApplied([updated(alice, changed)], { user });
    expect(state.users.get(alice)).toEqual(user);
    expect(state.seats).toEqual(room.state.seats);
  });

  it('the same profile is a success without effect', () => {
    const user = room.state.users.get(alice);
    expect(room.when(update({})).decision).toEqual({ kind: 'noEffect', result: { user } });
  });
});

describe('When active and the user is absent', () => {
  it('UpdateUser makes nobody present (PRES-13)', () => {
    for (const by of [bob, owner]) {
      const outcome = room.when(update({}), { by, role: 'service' });
      outcome.thenRejected('USER_NOT_PRESENT', { user_id: by });
      expect(outcome.state.users.has(by)).toBe(false);
    }
  });
});
