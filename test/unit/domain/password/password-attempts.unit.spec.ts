/** NotePasswordAttempt: wrong passwords, counted per user in windows of time (PWD-2). */
import { describe, expect, it } from 'vitest';
import type { UserId } from '../../../../src/domain/ids.ts';
import { passwordAttemptsMax } from '../../../../src/domain/room/room-limits.ts';
import { joinRoom, verdict } from '../../../support/command-builders.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  created,
  joined,
  owner,
  profileOf,
} from '../../../support/room-builders.ts';

const windowMs = 600_000;
const bySystem = { role: 'system', by: owner } as const;
const note = (userId: UserId = alice) => ({ type: 'NotePasswordAttempt', userId }) as const;

function failed(userId: UserId, attempts: number, windowStartedAtMs: number) {
  return { type: 'RoomPasswordAttemptFailed', userId, attempts, windowStartedAtMs } as const;
}

const room = given(created({ passwordHash: 'scrypt$x' }));

describe('When the room has a password', () => {
  it('the first wrong password opens the user’s window', () => {
    const { state } = room.when(note(), bySystem).thenApplied([failed(alice, 1, timeOf(2))], {});
    expect(state.passwordAttempts.get(alice)).toEqual({
      userId: alice,
      attempts: 1,
      windowStartedAtMs: timeOf(2),
    });
  });

  it('the next ones count in the same window until it is over', () => {
    const once = room.after(note(), bySystem);
    once.when(note(), bySystem).thenApplied([failed(alice, 2, timeOf(2))]);
    const lastMs = timeOf(2) + windowMs - 1;
    once.when(note(), { ...bySystem, atMs: lastMs }).thenApplied([failed(alice, 2, timeOf(2))]);
  });

  it('after the window the count begins anew', () => {
    const atMs = timeOf(2) + windowMs;
    room
      .after(note(), bySystem)
      .when(note(), { ...bySystem, atMs })
      .thenApplied([failed(alice, 1, atMs)]);
  });

  it('each user has a count of its own', () => {
    room
      .after(note(), bySystem)
      .when(note(bob), bySystem)
      .thenApplied([failed(bob, 1, timeOf(3))]);
  });

  it('a join that succeeds forgets the user’s count and nobody else’s', () => {
    const { state } = room
      .after(note(), bySystem)
      .after(note(bob), bySystem)
      .when(joinRoom(profileOf('alice'), verdict('match')));
    expect([...state.passwordAttempts.values()].map(({ userId }) => userId)).toEqual([bob]);
  });
});

describe('When the password was cleared meanwhile', () => {
  it('there is nothing to note', () => {
    given(created()).when(note(), bySystem).thenNoEffect();
  });
});

describe('When the table is full', () => {
  const nth = (n: number): UserId => asUser(`guesser-${String(n).padStart(4, '0')}`);
  const full = given(
    created({ passwordHash: 'scrypt$x' }),
    Array.from({ length: passwordAttemptsMax }, (_, n) =>
      // Numbers 7 to 16 have the oldest windows, which began at the same time.
      failed(nth(n), 2, n >= 7 && n <= 16 ? timeOf(1) : timeOf(1) + 1 + n),
    ),
  );

  it('the oldest window leaves it, of equal ones the lower user id', () => {
    expect(passwordAttemptsMax).toBe(1_000);
    let crowded = full;
    for (let n = 7; n <= 16; n += 1) {
      crowded = crowded.after(note(asUser(`late-${n}`)), bySystem);
      const attempts = crowded.state.passwordAttempts;
      expect(attempts.size).toBe(passwordAttemptsMax);
      expect([attempts.has(nth(n)), attempts.has(nth(n + 1))]).toEqual([false, true]);
      expect(attempts.has(`late-${n}`)).toBe(true);
    }
  });

  it('a user who stands in it already pushes nobody out', () => {
    const { state } = full.when(note(nth(3)), { ...bySystem, atMs: timeOf(1) + windowMs });
    expect(state.passwordAttempts.get(nth(3))?.attempts).toBe(3);
    expect(state.passwordAttempts.has(nth(7))).toBe(true);
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'rtc'] as const)('role %s cannot send it', (role) => {
    room
      .when(note(), { role, by: owner })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
  });

  it('a user inside is not counted out: presence and seats stay', () => {
    const inside = given(created({ passwordHash: 'scrypt$x' }), joined(alice));
    expect(inside.after(note(), bySystem).state.users.has(alice)).toBe(true);
  });
});
