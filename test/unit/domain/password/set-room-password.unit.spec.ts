/** SetRoomPassword (PWD-1, PWD-3). */
import { describe, expect, it } from 'vitest';
import { roomView } from '../../../../src/domain/room/room-view.ts';
import { given } from '../../../support/decider-spec.ts';
import { adminSet, alice, bob, created, joined, owner } from '../../../support/room-builders.ts';

const set = (passwordHash: string) => ({ type: 'SetRoomPassword', passwordHash }) as const;

function changed(passwordHash: string, passwordVersion: bigint, byUserId = owner) {
  const locked = passwordHash !== '';
  return { type: 'RoomPasswordChanged', byUserId, passwordHash, locked, passwordVersion } as const;
}

const open = given(created(), [joined(alice), joined(bob)], adminSet(bob));

describe('When the room is open', () => {
  it('a password locks it, at the next password version, and everybody stays (CMD-21, PWD-1)', () => {
    const { state } = open.when(set('h1'), { by: owner }).thenApplied([changed('h1', 2n)], {});
    expect(state).toMatchObject({ passwordHash: 'h1', passwordVersion: 2n });
    expect(state.users.size).toBe(2);
    expect(roomView(state, null, 1).locked).toBe(true);
  });

  it('clearing what is not there changes nothing', () => {
    open.when(set(''), { by: owner }).thenNoEffect();
  });
});

describe('When the room has a password', () => {
  const locked = open.after(set('h1'), { by: owner });

  it('another one takes its place', () => {
    locked.when(set('h2'), { by: owner }).thenApplied([changed('h2', 3n)], {});
  });

  it('the same hash again is a new password: two hashes of one password differ anyway', () => {
    locked.when(set('h1'), { by: owner }).thenApplied([changed('h1', 3n)], {});
  });

  it('clearing it opens the room (PWD-1)', () => {
    const { state } = locked.when(set(''), { by: owner }).thenApplied([changed('', 3n)], {});
    expect(roomView(state, null, 1).locked).toBe(false);
  });

  it('a change forgets the wrong passwords that were counted before', () => {
    const attempt = { type: 'NotePasswordAttempt', userId: alice } as const;
    const tried = locked.after(attempt, { role: 'system' });
    expect(tried.state.passwordAttempts.size).toBe(1);
    expect(tried.after(set('h2'), { by: owner }).state.passwordAttempts.size).toBe(0);
  });
});

describe('Who may', () => {
  it.each([
    ['user', bob],
    ['service', alice],
    ['operator', alice],
  ] as const)('a manager (role %s as %s) may', (role, by) => {
    open.when(set('h1'), { role, by }).thenApplied([changed('h1', 2n, by)]);
  });

  it('a member may not, be the room open or locked (PWD-1)', () => {
    const no = { actor_user_id: 'alice' };
    for (const hash of ['', 'h1']) open.when(set(hash)).thenRejected('NOT_ROOM_MANAGER', no);
  });
});
