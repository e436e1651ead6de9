/** Whose heartbeats ceased: asked by the scan and by the sweep alike (PRES-17, decision 27). */
import { describe, expect, it } from 'vitest';
import { isMicStale, isStale, lastSeenMsOf } from '../../../../src/domain/presence/staleness.ts';
import type { HeartbeatFacts } from '../../../../src/domain/room/decision.ts';
import type { PresentUser } from '../../../../src/domain/room/state.ts';
import { assertDefined } from '../../../../src/kernel/assert.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import { alice, bob, created, joined, session } from '../../../support/room-builders.ts';

const { users } = given(created(), [joined(alice), joined(bob, { isRobot: true })]).state;
const userOf = (id: typeof alice): PresentUser => assertDefined(users.get(id), 'present');
const joinedMs = timeOf(2);

function facts(lastSeen: number | null, staleBeforeMs: number): HeartbeatFacts {
  const lastSeenMs = new Map(lastSeen === null ? [] : [[alice, lastSeen] as const]);
  return { staleBeforeMs, lastSeenMs, micStaleBeforeMs: 0, lastMicHeartbeatMs: new Map() };
}

describe('lastSeenMsOf', () => {
  it('is the later of the last heartbeat and the join (PRES-4)', () => {
    const alone = facts(null, 0).lastSeenMs;
    expect(lastSeenMsOf(userOf(alice), alone)).toBe(joinedMs);
    expect(lastSeenMsOf(userOf(alice), facts(joinedMs - 1, 0).lastSeenMs)).toBe(joinedMs);
    expect(lastSeenMsOf(userOf(alice), facts(joinedMs + 1, 0).lastSeenMs)).toBe(joinedMs + 1);
  });
});

describe('isStale', () => {
  it('is so of whoever was last seen before the mark, and not of one seen at it', () => {
    expect(isStale(userOf(alice), facts(joinedMs + 5, joinedMs + 6))).toBe(true);
    expect(isStale(userOf(alice), facts(joinedMs + 5, joinedMs + 5))).toBe(false);
  });

  it('is never so of robots and of absent users', () => {
    const late = facts(null, Number.MAX_SAFE_INTEGER);
    expect([isStale(userOf(bob), late), isStale(undefined, late)]).toEqual([false, false]);
  });
});

describe('isMicStale', () => {
  it('is so of a session whose last mic heartbeat is older than the mark, and of no other', () => {
    const lastMicHeartbeatMs = new Map([[session(1), 10]]);
    const at = (micStaleBeforeMs: number) => ({
      ...facts(null, 99),
      micStaleBeforeMs,
      lastMicHeartbeatMs,
    });
    expect(isMicStale(session(1), at(11))).toBe(true);
    expect(isMicStale(session(1), at(10))).toBe(false);
    expect(isMicStale(session(2), at(11))).toBe(false);
  });
});
