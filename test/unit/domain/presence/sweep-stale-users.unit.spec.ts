/** SweepStaleUsers (PRES-6, PRES-17…19, PRES-22, MIC-21, TST-7). */
import { describe, expect, it } from 'vitest';
import type { UserId } from '../../../../src/domain/ids.ts';
import { staleUsersPerSweepMax } from '../../../../src/domain/room/room-limits.ts';
import { joinRoom, leaveRoom, sweep } from '../../../support/command-builders.ts';
import { given, stepMs, timeOf } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  closing,
  created,
  joined,
  micRequested,
  on,
  owner,
  profileOf,
  publishing,
  staleLeft,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

/** The system's facts when users were last seen at these times; who is not named was never. */
function seen(lastSeenMs: Readonly<Record<string, number>> = {}, staleBeforeMs = 5_000_000) {
  const entries = Object.entries(lastSeenMs).map(([id, atMs]) => [asUser(id), atMs] as const);
  const heartbeats = { staleBeforeMs, lastSeenMs: new Map<UserId, number>(entries) };
  return { role: 'system', by: owner, heartbeats } as const;
}

const people = [joined(alice), joined(bob), joined(carol)];
const room = given(created(), people);

describe('When heartbeats of present users have ceased', () => {
  it('they are taken out, in the order of the sweep, and the others stay (PRES-6, CMD-18)', () => {
    const { state } = room
      .when(sweep(carol, alice), seen({ carol: 4_999_999 }))
      .thenApplied([staleLeft(carol, alice)], {});
    expect([...state.users.values()].map(({ userId }) => userId)).toEqual([bob]);
    expect(state.bans.size).toBe(0);
  });

  it('their seats are freed before it, in the same commit (PRES-18, MIC-21)', () => {
    given(
      created(),
      people,
      wentUp(on(1, alice, 3), 90_000_000),
      wentUp(on(2, bob, 4), 90_000_000),
      publishing(on(2, bob, 4)),
    )
      .when(sweep(bob, carol, alice), seen())
      .thenApplied([
        wentDown(on(2, bob, 4), 'stale', 2 * stepMs),
        wentDown(on(1, alice, 3), 'stale', 3 * stepMs),
        staleLeft(bob, carol, alice),
      ]);
  });

  it('what they had asked for at the mic ends with it', () => {
    const waiting = given(created({ mode: 'apply' }), people, micRequested(alice, 90_000_000));
    expect(waiting.after(sweep(alice), seen()).state.micRequests).toEqual([]);
  });

  it('a user named twice leaves once', () => {
    room.when(sweep(alice, bob, alice), seen()).thenApplied([staleLeft(alice, bob)]);
  });

  it('one who came back and went again joins anew (PRES-10)', () => {
    room
      .after(sweep(alice), seen())
      .when(joinRoom(profileOf('alice')))
      .room();
  });

  it('a closing room is swept too', () => {
    given(created(), people, closing(9_000_000)).when(sweep(alice), seen()).room();
  });
});

describe('When somebody was seen in time', () => {
  it('a heartbeat that lands after the scan wins (PRES-19, TST-7)', () => {
    room
      .when(sweep(alice, bob), seen({ alice: 5_000_000, bob: 4_999_999 }))
      .thenApplied([staleLeft(bob)]);
    room.when(sweep(alice), seen({ alice: 5_000_000 })).thenNoEffect();
  });

  it('a heartbeat that lands after the scan wins: so does a stay that began since (TST-7)', () => {
    const again = room.after(leaveRoom).after(joinRoom(profileOf('alice')));
    const joinedMs = again.state.lastEventAtMs;
    again.when(sweep(alice), seen({}, joinedMs)).thenNoEffect();
    again.when(sweep(alice), seen({ alice: 1 }, joinedMs)).thenNoEffect();
    again.when(sweep(alice), seen({}, joinedMs + 1)).thenApplied([staleLeft(alice)]);
  });

  it('who never sent a heartbeat counts from the join, so that nobody is stale at once', () => {
    room.when(sweep(alice), seen({}, timeOf(2))).thenNoEffect();
    room.when(sweep(alice), seen({}, timeOf(2) + 1)).room();
  });
});

describe('When nobody of the named is to go', () => {
  it('absent users, robots and an empty list are a success without effect', () => {
    const robot = given(created(), joined(bob, { isRobot: true }));
    robot.when(sweep(bob), seen()).thenNoEffect();
    robot.when(sweep(alice, owner), seen()).thenNoEffect();
    robot.when(sweep(), seen()).thenNoEffect();
  });

  it('a second run of the same sweep does nothing', () => {
    room.after(sweep(alice), seen()).when(sweep(alice), seen()).thenNoEffect();
  });
});

describe('When more are named than one sweep takes out', () => {
  it('the first go and the rest wait for another sweep', () => {
    expect(staleUsersPerSweepMax).toBe(200);
    const crowd = Array.from({ length: 203 }, (_, n) => asUser(`u${n}`));
    const full = given(
      created(),
      crowd.map((userId) => joined(userId)),
    );
    // Repeats do not count: a doubled name takes nobody's place.
    const { state } = full.when(sweep(...crowd.slice(0, 1), ...crowd), seen());
    expect([...state.users.values()].map(({ userId }) => userId).sort()).toEqual(
      crowd.slice(200).sort(),
    );
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'rtc'] as const)('role %s cannot send it', (role) => {
    room
      .when(sweep(alice), { ...seen(), role })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
  });
});
