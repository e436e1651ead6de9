/** What evolve asserts: a damaged log stops instead of bending the room (SNAP-3, INV-5, INV-27). */
import { describe, expect, it } from 'vitest';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import type { EventPosition } from '../../../../src/domain/room/decision.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import { evolve, evolveCommand } from '../../../../src/domain/room/evolve.ts';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  alice,
  app,
  bob,
  created,
  joined,
  left,
  on,
  profileOf,
  publishing,
  room,
  updated,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const at = (version: bigint, occurredAtMs = 2_000_000): EventPosition => ({
  version: version as RoomVersion,
  occurredAtMs,
});
const seated = given(created(), joined(alice), wentUp(on(2, alice, 3), 90_000_000)).state;

describe('evolveCommand', () => {
  it('moves version and last event time to those of the command', () => {
    const state = evolveCommand(seated, [joined(bob)], at(4n));
    expect(state).toMatchObject({ version: 4n, lastEventAtMs: 2_000_000 });
  });

  it.each([2n, 3n, 5n])('refuses version %i after version 3', (version) => {
    expect(() => evolveCommand(seated, [joined(bob)], at(version))).toThrow(InvariantError);
  });

  it('refuses a command without events', () => {
    expect(() => evolveCommand(seated, [], at(4n))).toThrow(InvariantError);
  });

  it('leaves the state it was given as it was', () => {
    const before = structuredClone({ ...seated, users: [...seated.users.entries()] });
    evolveCommand(seated, [wentDown(on(2, alice, 3), 'left_room', 0), left(alice)], at(4n));
    expect({ ...seated, users: [...seated.users.entries()] }).toEqual(before);
  });
});

describe('evolve', () => {
  it('refuses an event that is older than the one before it', () => {
    expect(() => evolve(seated, joined(bob), at(4n, timeOf(3) - 1))).toThrow(InvariantError);
    expect(evolve(seated, joined(bob), at(4n, timeOf(3))).users.has(bob)).toBe(true);
  });

  it.each<readonly [string, RoomEvent]>([
    ['creates the room twice', created()],
    ['joins a present user', joined(alice)],
    ['updates an absent user', updated(bob, profileOf('bob'))],
    ['lets an absent user leave', left(bob)],
    ['takes a taken seat', wentUp(on(2, bob, 4), 1)],
    ['takes a seat that is not there', wentUp(on(9, bob, 4), 1)],
    ['confirms another session', publishing(on(2, alice, 1))],
    ['confirms for another user', publishing(on(2, bob, 3))],
    ['confirms on an empty seat', publishing(on(1, alice, 3))],
    ['frees another session', wentDown(on(2, alice, 1), 'mic_down', 0)],
    ['frees an empty seat', wentDown(on(1, alice, 3), 'mic_down', 0)],
  ])('refuses a log that %s', (_what, event) => {
    expect(() => evolve(seated, event, at(4n))).toThrow(InvariantError);
  });

  it('takes an old RTC time for what it is and keeps the newer one', () => {
    const seen = evolve(seated, publishing(on(2, alice, 3), 500), at(4n));
    const again = evolve(seen, publishing(on(2, alice, 3), 400), at(5n));
    expect(again.seats[1]?.occupancy?.lastPublishEventTimeMs).toBe(500);
  });

  it('refuses an event that this release does not know', () => {
    const unknown = { type: 'RoomPainted' } as unknown as RoomEvent;
    expect(() => evolve(seated, unknown, at(4n))).toThrow(InvariantError);
  });
});

describe('initialRoomState', () => {
  it('is an absent room at version 0 that holds nothing', () => {
    const state = initialRoomState(app, room);
    expect(state).toMatchObject({ appCode: app, roomId: room, status: 'absent', version: 0n });
    expect(state).toMatchObject({ ownerUserId: null, seats: [], closeInfo: null });
    expect(state.users.size).toBe(0);
  });
});
