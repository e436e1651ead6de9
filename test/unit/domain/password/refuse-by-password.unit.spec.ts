/** The password rule of JoinRoom (PWD-2, PWD-3, decision 23). */
import { describe, expect, it } from 'vitest';
import { joinRoom, sendGift, verdict } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asUser,
  bob,
  created,
  joined,
  kicked,
  owner,
  profileOf,
} from '../../../support/room-builders.ts';

const profile = profileOf('alice');
const room = given(created({ passwordHash: 'scrypt$x' }), adminSet(bob));
const windowMs = 600_000;

const joining = (word: 'match' | 'mismatch' | 'none_given', version?: bigint) =>
  joinRoom(profile, verdict(word, version));
const attempt = (userId = alice) => ({ type: 'NotePasswordAttempt', userId }) as const;

/** alice has given a wrong password `count` times, one second apart. */
function afterAttempts(count: number): typeof room {
  let tried = room;
  for (let n = 0; n < count; n += 1) tried = tried.after(attempt(), { role: 'system' });
  return tried;
}

describe('When the room has a password', () => {
  it('a matching verdict for the present password opens it', () => {
    room.when(joining('match')).thenApplied([joined(alice)]);
  });

  it('a mismatch is refused, and the room is to remember it (PWD-2)', () => {
    room
      .when(joining('mismatch'))
      .thenRejected('WRONG_PASSWORD', { verdict: 'mismatch' }, attempt());
  });

  it('a join without a password is refused, and that is no attempt', () => {
    room.when(joining('none_given')).thenRejected('WRONG_PASSWORD', { verdict: 'none_given' });
  });

  it('a refused join changes nothing by itself (INV-3)', () => {
    expect(room.when(joining('mismatch')).state).toBe(room.state);
  });

  it.each(['match', 'mismatch', 'none_given'] as const)(
    'a verdict for an older password is stale, whatever it says (%s)',
    (word) => {
      const outcome = room.when(joining(word, 0n));
      outcome.thenRetry('FACT_STALE', { password_version: '1' });
      expect(outcome.decision).toMatchObject({ retryAfterMs: 0 });
    },
  );

  it('a verdict for a newer password than ours is stale too', () => {
    room.when(joining('match', 2n)).thenRetry('FACT_STALE', { password_version: '1' });
  });

  it('after a change of the password the former one opens nothing and the new one does', () => {
    const changed = room.after({ type: 'SetRoomPassword', passwordHash: 's2' }, { by: owner });
    changed.when(joining('match', 1n)).thenRetry('FACT_STALE', { password_version: '2' });
    changed.when(joining('match', 2n)).thenApplied([joined(alice)]);
  });

  it.each([owner, bob])('owner and admins need none (%s) (PWD-2)', (by) => {
    for (const word of ['mismatch', 'none_given'] as const) {
      room.when(joinRoom(profileOf(by), verdict(word, 0n)), { by }).room();
    }
  });

  it('a robot of a service needs none, a person named by a service does', () => {
    const role = 'service';
    room.when(joinRoom(profile, { isRobot: true }), { role }).room();
    room
      .when(joining('none_given'), { role })
      .thenRejected('WRONG_PASSWORD', { verdict: 'none_given' });
  });

  it('an operator needs it too', () => {
    const op = asUser('op');
    room
      .when(joining('mismatch'), { role: 'operator', by: op })
      .thenRejected('WRONG_PASSWORD', { verdict: 'mismatch' }, attempt(op));
  });
});

describe('When a user has given wrong passwords', () => {
  it('below the limit of the window the right password opens the room', () => {
    afterAttempts(2)
      .when(joining('match'))
      .thenApplied([joined(alice)]);
    afterAttempts(2)
      .when(joining('mismatch'))
      .thenRejected('WRONG_PASSWORD', { verdict: 'mismatch' }, attempt());
  });

  it.each(['match', 'mismatch', 'none_given'] as const)(
    'at the limit no password is looked at any more, not even the right one (%s) (PWD-2)',
    (word) => {
      const blocked = afterAttempts(3);
      const untilMs = String(room.nextMs + windowMs);
      blocked.when(joining(word)).thenRejected('TOO_MANY_PASSWORD_ATTEMPTS', { until_ms: untilMs });
      blocked
        .when(joining(word), { atMs: room.nextMs + windowMs - 1 })
        .thenRejected('TOO_MANY_PASSWORD_ATTEMPTS', { until_ms: untilMs });
    },
  );

  it('beyond the limit it is the same', () => {
    afterAttempts(5)
      .when(joining('match'))
      .thenRejected('TOO_MANY_PASSWORD_ATTEMPTS', { until_ms: String(room.nextMs + windowMs) });
  });

  it('when the window is over, passwords are looked at again', () => {
    afterAttempts(3)
      .when(joining('match'), { atMs: room.nextMs + windowMs })
      .thenApplied([joined(alice)]);
  });

  it('the limit is each user’s own', () => {
    const carol = asUser('carol');
    afterAttempts(3)
      .when(joinRoom(profileOf('carol'), verdict('match')), { by: carol })
      .thenApplied([joined(carol)]);
  });

  it('a stale verdict is stale before it is counted', () => {
    afterAttempts(3)
      .when(joining('mismatch', 0n))
      .thenRetry('FACT_STALE', { password_version: '1' });
  });

  it('whoever became an admin meanwhile comes in all the same', () => {
    afterAttempts(3)
      .after({ type: 'SetAdmin', userId: alice, isAdmin: true }, { by: owner })
      .when(joining('mismatch'))
      .thenApplied([joined(alice)]);
  });
});

describe('When the room has no password', () => {
  it.each([
    ['mismatch', 1n],
    ['none_given', 0n],
    ['match', 7n],
  ] as const)('the verdict %s about version %i is ignored', (word, version) => {
    given(created())
      .when(joining(word, version))
      .thenApplied([joined(alice)]);
  });

  it('a password that was cleared keeps nobody out, blocked before or not (PWD-1)', () => {
    afterAttempts(3)
      .after({ type: 'SetRoomPassword', passwordHash: '' }, { by: owner })
      .when(joining('none_given', 0n))
      .thenApplied([joined(alice)]);
  });
});

describe('When the password changes', () => {
  it('present users stay and go on (PWD-3)', () => {
    const inside = given(created(), joined(alice)).after(
      { type: 'SetRoomPassword', passwordHash: 's2' },
      { by: owner },
    );
    expect(inside.state.users.has(alice)).toBe(true);
    expect(inside.when(joining('none_given', 0n)).decision.kind).toBe('noEffect');
    inside
      .when(sendGift([alice]), { charge: { kind: 'insufficient' } })
      .thenRejected('INSUFFICIENT_BALANCE');
  });
});

describe('When the user is banned too', () => {
  it('the ban is told and no attempt is counted', () => {
    given(created({ passwordHash: 'scrypt$x' }), kicked(alice))
      .when(joining('mismatch'))
      .thenRejected('USER_BANNED', { user_id: 'alice', reason: 'rude' });
  });
});
