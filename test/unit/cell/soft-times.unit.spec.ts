/** When users and sessions of a room were last heard of, and what the sweeps are told of it. */
import { describe, expect, it } from 'vitest';
import { nextSweepMs, SoftTimes } from '../../../src/cell/presence/soft-times.ts';
import { joinedUser } from '../../../src/domain/presence/evolve-presence.ts';
import { initialRoomState } from '../../../src/domain/room/initial-state.ts';
import type { RoomVersion } from '../../../src/domain/ids.ts';
import type { RoomState } from '../../../src/domain/room/state.ts';
import {
  alice,
  app,
  bob,
  closed,
  joined,
  left,
  on,
  room,
  session,
  staleLeft,
  wentDown,
} from '../../support/room-builders.ts';

const options = { presenceStaleAfterMs: 120_000, micHeartbeatStaleAfterMs: 60_000 };
const wallMs = 5_000_000;

describe('the times of a room', () => {
  const staleBefore = (sinceMonoMs: number, liveSinceMonoMs: number | null, monoMs: number) => {
    const facts = new SoftTimes(sinceMonoMs).facts({ wallMs, monoMs, liveSinceMonoMs }, options);
    return [facts.staleBeforeMs, facts.micStaleBeforeMs];
  };

  it('make nobody stale while the intake is not live', () => {
    expect(staleBefore(0, null, 1_000_000)).toEqual([0, 0]);
  });

  it('make somebody stale only when the intake was live for as long as the silence allowed', () => {
    expect(staleBefore(0, 10_000, 69_999)).toEqual([0, 0]);
    expect(staleBefore(0, 10_000, 70_000)).toEqual([0, wallMs - 60_000]);
    expect(staleBefore(0, 10_000, 129_999)).toEqual([0, wallMs - 60_000]);
    expect(staleBefore(0, 10_000, 130_000)).toEqual([wallMs - 120_000, wallMs - 60_000]);
  });

  it('that began later than the live window count from their own beginning', () => {
    expect(staleBefore(500_000, 10_000, 619_999)).toEqual([0, wallMs - 60_000]);
    expect(staleBefore(500_000, 10_000, 620_000)).toEqual([wallMs - 120_000, wallMs - 60_000]);
  });

  it('never go back: a heartbeat that was long on its way changes nothing', () => {
    const times = new SoftTimes(0);
    times.hear(alice, 20);
    times.hear(alice, 10);
    expect(times.lastSeenMs.get(alice)).toBe(20);
  });

  it('follow joins and all ways out', () => {
    const times = new SoftTimes(0);
    const place = on(1, alice, 1);
    times.lastMicHeartbeatMs.set(session(1), 5);
    for (const user of [alice, bob]) times.follow(joined(user), 7);
    expect([...times.lastSeenMs]).toEqual([
      [alice, 7],
      [bob, 7],
    ]);
    times.follow(wentDown(place, 'mic_down', 1), 8);
    expect(times.lastMicHeartbeatMs.size).toBe(0);
    times.follow(left(alice), 8);
    times.follow(staleLeft(bob), 8);
    expect(times.lastSeenMs.size).toBe(0);
    times.follow(joined(alice), 9);
    times.follow(closed(), 10);
    expect(times.lastSeenMs.size).toBe(0);
  });
});

describe('the next sweep of a room that is not in memory', () => {
  const stateWith = (isRobot: boolean, lastEventAtMs: number): RoomState => {
    const state = initialRoomState(app, room);
    const at = { version: 1n as RoomVersion, occurredAtMs: lastEventAtMs };
    const user = joinedUser(joined(alice, { isRobot }), at);
    return { ...state, users: state.users.set(alice, user), lastEventAtMs };
  };

  it('is none without people', () => {
    expect(nextSweepMs(initialRoomState(app, room), 120_000)).toBeNull();
    expect(nextSweepMs(stateWith(true, 1_000), 120_000)).toBeNull();
  });

  it('is the silence after the last event, rounded up to a quarter of the silence', () => {
    expect(nextSweepMs(stateWith(false, 0), 120_000)).toBe(120_000);
    expect(nextSweepMs(stateWith(false, 1), 120_000)).toBe(150_000);
    expect(nextSweepMs(stateWith(false, 30_000), 120_000)).toBe(150_000);
  });
});
