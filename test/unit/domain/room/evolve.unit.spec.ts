/** What evolve asserts: a damaged log stops instead of bending the room (SNAP-3, INV-5, INV-27). */
import { describe, expect, it } from 'vitest';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import type { EventPosition } from '../../../../src/domain/room/decision.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import { evolve, evolveCommand } from '../../../../src/domain/room/evolve.ts';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { emptyPersistentMap } from '../../../../src/kernel/persistent-map.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  app,
  bob,
  closing,
  created,
  deleted,
  evicted,
  joined,
  kicked,
  left,
  micRequested,
  micRequestEnded,
  movedSeat,
  on,
  owner,
  profileOf,
  publishing,
  room,
  rtcNoted,
  seatLocked,
  staleLeft,
  unbanned,
  updated,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const at = (version: bigint, occurredAtMs = 2_000_000): EventPosition => ({
  version: version as RoomVersion,
  occurredAtMs,
});
const toSeat1 = movedSeat(on(2, alice, 3), 1, 5);
const seated = given(created(), joined(alice), wentUp(on(2, alice, 3), 90_000_000)).state;

describe('evolveCommand', () => {
  it('moves version and last event time to those of the command (PIPE-16)', () => {
    const state = evolveCommand(seated, [joined(bob)], at(4n));
    expect(state).toMatchObject({ version: 4n, lastEventAtMs: 2_000_000 });
  });

  it.each([2n, 3n, 5n])('refuses version %i after version 3', (version) => {
    expect(() => evolveCommand(seated, [joined(bob)], at(version))).toThrow(InvariantError);
  });

  it('refuses a command without events', () => {
    expect(() => evolveCommand(seated, [], at(4n))).toThrow(InvariantError);
  });

  it('leaves the state it was given as it was (PIPE-4)', () => {
    const before = structuredClone({ ...seated, users: [...seated.users.entries()] });
    evolveCommand(seated, [wentDown(on(2, alice, 3), 'left_room', 0), left(alice)], at(4n));
    expect({ ...seated, users: [...seated.users.entries()] }).toEqual(before);
  });
});

describe('evolve', () => {
  it('refuses an event at a version that does not follow the room (SNAP-3)', () => {
    for (const version of [2n, 5n]) {
      expect(() => evolve(seated, joined(bob), at(version))).toThrow(InvariantError);
    }
    for (const version of [3n, 4n]) {
      expect(evolve(seated, joined(bob), at(version)).version).toBe(version);
    }
  });

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
    ['frees a seat that is not there', wentDown(on(9, alice, 3), 'mic_down', 0)],
    ['frees for another user', wentDown(on(2, bob, 3), 'mic_down', 0)],
    ['notes another session', rtcNoted(on(2, alice, 1), 5)],
    ['moves another session', movedSeat(on(2, alice, 1), 3, 5)],
    ['moves from an empty seat', movedSeat(on(1, alice, 3), 3, 5)],
    ['moves to the seat it leaves', movedSeat(on(2, alice, 3), 2, 5)],
    ['moves to a seat that is not there', movedSeat(on(2, alice, 3), 9, 5)],
    ['locks a seat under its holder', seatLocked(2)],
    ['locks a seat that is not there', seatLocked(9)],
    ['opens a seat that is not there', { type: 'RoomMicSeatUnlocked', seatNo: 9 }],
    ['mutes a seat that is not there', { type: 'RoomMicSeatMuted', seatNo: 9, muted: true }],
    ['ends a request that does not wait', micRequestEnded(alice, 'apply', 'declined')],
    [
      'takes a seat away under its holder',
      { type: 'RoomSeatCountChanged', byUserId: owner, seatCount: 1 },
    ],
    ['sweeps an absent user', staleLeft(bob)],
    ['sweeps a user twice', staleLeft(alice, alice)],
    ['bans a present user', kicked(alice)],
    ['unbans a user without a ban', unbanned(bob)],
    ['makes the owner an admin', adminSet(owner)],
    [
      'is given away by another than its owner',
      { type: 'RoomOwnerTransferred', byUserId: bob, fromUserId: bob, toUserId: alice },
    ],
    ['deletes an open room', deleted()],
  ])('refuses a log that %s', (_what, event) => {
    expect(() => evolve(seated, event, at(4n))).toThrow(InvariantError);
  });

  it.each<readonly [string, readonly RoomEvent[], RoomEvent]>([
    ['lets a banned user in', [kicked(bob)], joined(bob)],
    ['takes the seat of another by a move', [joined(bob), wentUp(on(1, bob, 4), 1)], toSeat1],
    ['lets a user ask twice', [joined(bob), micRequested(bob, 1)], micRequested(bob, 2)],
    [
      'ends a request of the other kind',
      [joined(bob), micRequested(bob, 1)],
      micRequestEnded(bob, 'invite', 'expired'),
    ],
    ['deletes a closing room', [closing(5)], deleted()],
  ])('refuses a log that %s', (_what, before, event) => {
    const state = evolveCommand(seated, before, at(4n));
    expect(() => evolve(state, event, at(5n))).toThrow(InvariantError);
  });

  it('a move knows the RTC time of a note, and an older note changes nothing', () => {
    const noted = evolve(seated, rtcNoted(on(2, alice, 3), 500), at(4n));
    const older = evolve(noted, rtcNoted(on(2, alice, 3), 400), at(5n));
    expect(older.seats[1]?.occupancy?.lastPublishEventTimeMs).toBe(500);
  });

  it('applications end when a log says that the mode is free, and only then', () => {
    const asked = evolve(evolve(seated, joined(bob), at(4n)), micRequested(bob, 9), at(5n));
    const mode = (word: 'free' | 'apply') =>
      evolve(asked, { type: 'RoomModeChanged', byUserId: owner, mode: word }, at(6n));
    expect(mode('apply').micRequests).toHaveLength(1);
    expect(mode('free').micRequests).toEqual([]);
  });

  it('an eviction tells why and changes nothing by itself', () => {
    const { version: _v, lastEventAtMs: _t, ...rest } = seated;
    expect(evolve(seated, evicted(alice, owner), at(4n))).toMatchObject(rest);
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
  it('is an absent room at version 0 that holds nothing (ROOM-2)', () => {
    const empty = emptyPersistentMap();
    expect(initialRoomState(app, room)).toEqual({
      appCode: app,
      roomId: room,
      status: 'absent',
      version: 0n,
      ownerUserId: null,
      profile: { title: '', coverUrl: '', announcement: '', backgroundUrl: '', tags: [], ext: '' },
      mode: 'free',
      visibleRegionId: 0n,
      passwordHash: '',
      passwordVersion: 0n,
      seats: [],
      micRequests: [],
      admins: [],
      bans: empty,
      temporaryBans: [],
      passwordAttempts: empty,
      users: empty,
      robotCount: 0,
      heat: 0n,
      giftSenders: empty,
      topGiftSenders: [],
      rocket: null,
      createdAtMs: 0,
      lastEventAtMs: 0,
      closing: null,
      closeInfo: null,
    });
  });
});
