/** UpdateRoomProfile (META-4). */
import { describe, expect, it } from 'vitest';
import { updateRoomProfile } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import { adminSet, alice, bob, created, joined, owner } from '../../../support/room-builders.ts';

const room = given(created({ tags: ['music', 'talk'] }), joined(alice), adminSet(bob));
const { profile } = room.state;
const updated = (fields: Partial<typeof profile>, byUserId = owner) =>
  ({ type: 'RoomProfileUpdated', byUserId, profile: { ...profile, ...fields } }) as const;

describe('When parts are named', () => {
  it.each([
    ['title', 'Morning talk'],
    ['title', ''],
    ['coverUrl', 'https://cdn.test/other'],
    ['coverUrl', ''],
    ['announcement', 'Be kind'],
    ['backgroundUrl', 'https://cdn.test/another'],
    ['backgroundUrl', ''],
    ['tags', ['music']],
    ['tags', ['music', 'talk', 'late']],
    ['tags', ['talk', 'music']],
    ['tags', ['music', 'late']],
    ['tags', ['late', 'talk']],
    ['tags', []],
    ['ext', 'other'],
    ['ext', ''],
  ])(
    '%s becomes %j, the rest stays, and a snapshot follows at once (CMD-19, META-4, RES-3)',
    (part, value) => {
      const { state } = room
        .when(updateRoomProfile({ [part]: value }), { by: owner })
        .thenApplied([updated({ [part]: value })], {}, true);
      expect(state.profile).toEqual({ ...profile, [part]: value });
    },
  );

  it('all parts at once are one event', () => {
    const all = {
      title: 't',
      coverUrl: 'c',
      announcement: 'a',
      backgroundUrl: 'b',
      tags: ['x'],
      ext: 'e',
    };
    room.when(updateRoomProfile(all), { by: owner }).thenApplied([updated(all)], {}, true);
  });
});

describe('When nothing would change', () => {
  it('no part named, and every part named as it is, are a success without effect', () => {
    room.when(updateRoomProfile(), { by: owner }).thenNoEffect();
    const tags = [...profile.tags];
    room.when(updateRoomProfile({ ...profile, tags }), { by: owner }).thenNoEffect();
  });
});

describe('Who may', () => {
  it.each([
    ['user', bob],
    ['service', alice],
    ['operator', alice],
  ] as const)('a manager (role %s as %s) may', (role, by) => {
    room
      .when(updateRoomProfile({ title: 't' }), { role, by })
      .thenApplied([updated({ title: 't' }, by)], {}, true);
  });

  it('a member may not, be there a change or none', () => {
    for (const fields of [{}, { title: 't' }]) {
      room
        .when(updateRoomProfile(fields))
        .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
    }
  });
});
