/** What one robot does next in its room. */
import { describe, expect, it } from 'vitest';
import type { GiftId, RoomId, UserId } from '../../../../src/domain/ids.ts';
import { nextRobotAct, type RobotScene } from '../../../../src/domain/robots/robot-act.ts';
import type { RobotRoom, RobotRules } from '../../../../src/domain/robots/robot-rules.ts';
import { countryOfRoom } from '../../../../src/domain/robots/room-country.ts';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import type { RoomState } from '../../../../src/domain/room/state.ts';
import { given } from '../../../support/decider-spec.ts';
import { alice, bob, created, joined, owner } from '../../../support/room-builders.ts';

const [r1, r2, r3] = ['r1', 'r2', 'r3'] as [UserId, UserId, UserId];
const room: RobotRoom = {
  roomId: 'lounge' as RoomId,
  title: 'Lounge',
  seatCount: 8,
  visibleRegionId: 0n,
  robots: 2,
  giftIds: ['rose', 'clover'] as GiftId[],
};
const rules: RobotRules = {
  enabled: true,
  robotsPerRoomMax: 2,
  placesForPeople: 3,
  pauseMinMs: 1_000,
  pauseMaxMs: 1_000,
  stayMinMs: 1_000,
  stayMaxMs: 1_000,
  rooms: [room],
};

/** A room with these people and these robots. */
function roomOf(people: readonly UserId[], robots: readonly UserId[] = []): RoomState {
  const events = [
    ...people.map((userId) => joined(userId)),
    ...robots.map((userId) => joined(userId, { isRobot: true })),
  ];
  return given(created(), ...events.map((event) => [event])).state;
}

function sceneOf(state: RoomState, robot: UserId, changes: Partial<RobotScene> = {}): RobotScene {
  return {
    part: { kind: 'guest' },
    rules,
    state,
    robot,
    team: [r1, r2, r3],
    joining: 0,
    hasStayed: false,
    usersPerRoomMax: 10,
    chance: 0,
    ...changes,
  };
}

const actOf = (...args: Parameters<typeof sceneOf>) => nextRobotAct(sceneOf(...args)).type;

describe('A robot in a room of people (ROBOT-3)', () => {
  it('comes while there are fewer than wanted, those on their way included', () => {
    expect(actOf(roomOf([alice]), r1)).toBe('join');
    expect(actOf(roomOf([alice], [r2]), r1)).toBe('join');
    expect(actOf(roomOf([alice], [r2]), r1, { joining: 1 })).toBe('none');
    expect(actOf(roomOf([alice], [r2, r3]), r1)).toBe('none');
  });

  it('never takes one of the last places, which are for people', () => {
    // Of 6 places 3 are kept, and 3 are taken by people.
    const three = roomOf([alice, bob, owner]);
    expect(actOf(three, r1, { usersPerRoomMax: 6 })).toBe('none');
    expect(actOf(three, r1, { usersPerRoomMax: 7 })).toBe('join');
  });

  it('goes when people need its place, the last of the team first', () => {
    const full = roomOf([alice, bob], [r1, r2]);
    const small = { usersPerRoomMax: 6 };
    expect(actOf(full, r1, small)).toBe('none');
    expect(actOf(full, r2, small)).toBe('leave');
  });

  it('counts robots of others as somebody who is there', () => {
    const foreign = roomOf([alice], ['x1', 'x2'] as UserId[]);
    expect(actOf(foreign, r1, { usersPerRoomMax: 6 })).toBe('none');
    expect(actOf(foreign, r1, { usersPerRoomMax: 7 })).toBe('join');
  });

  it('goes when it has stayed, when nobody is left, and ends when it is out', () => {
    expect(actOf(roomOf([alice], [r1]), r1)).toBe('none');
    expect(actOf(roomOf([alice], [r1]), r1, { hasStayed: true })).toBe('leave');
    expect(actOf(roomOf([], [r1]), r1)).toBe('leave');
    expect(actOf(roomOf([]), r1)).toBe('end');
    expect(actOf(roomOf([]), r1, { joining: 1 })).toBe('none');
  });

  it('ends with its room, and does not come where it is banned', () => {
    const closed = given(created(), [joined(alice)]).after(
      { type: 'CloseRoom', reason: '', note: '' },
      { by: owner },
    ).state;
    expect(actOf(closed, r1)).toBe('end');
    expect(actOf(initialRoomState(closed.appCode, closed.roomId), r1)).toBe('end');
    const banned = given(created(), [joined(alice)]).after(
      { type: 'KickUser', userId: r1, reason: '', expiresAtMs: 0 },
      { by: owner },
    ).state;
    expect(actOf(banned, r1)).toBe('none');
  });
});

describe('A robot in a robot room (ROBOT-1)', () => {
  const host = { part: { kind: 'host', room } } as const;
  const absent = initialRoomState(roomOf([]).appCode, roomOf([]).roomId);

  it('opens the room when it is the first of the team', () => {
    expect(nextRobotAct(sceneOf(absent, r1, host))).toEqual({ type: 'open', room });
    expect(actOf(absent, r2, host)).toBe('none');
  });

  it('comes without people, as many as the room wants', () => {
    expect(actOf(roomOf([], [r2]), r1, host)).toBe('join');
    expect(actOf(roomOf([], [r2, r3]), r1, host)).toBe('none');
    expect(actOf(roomOf([alice, bob]), r1, { ...host, usersPerRoomMax: 5 })).toBe('none');
  });

  it('gives one of the gifts to another robot, each as likely as the next, and never to itself', () => {
    const state = roomOf([alice], [r1, r2, r3]);
    const acts = [0, 0.25, 0.5, 0.75, 0.99].map((chance) =>
      nextRobotAct(sceneOf(state, r2, { ...host, chance })),
    );
    expect(acts.map((act) => (act.type === 'gift' ? [act.giftId, act.targetUserId] : act))).toEqual(
      [
        ['rose', r1],
        ['clover', r1],
        ['rose', r3],
        ['clover', r3],
        ['clover', r3],
      ],
    );
    expect(actOf(roomOf([alice], [r1]), r1, host)).toBe('none');
    const bare = { part: { kind: 'host', room: { ...room, giftIds: [] } } } as const;
    expect(actOf(state, r2, bare)).toBe('none');
  });
});

describe('The country of a room', () => {
  const from = (countryCode: string) => ({
    profile: { nickname: '', avatarUrl: '', countryCode, ext: '' },
  });

  it('is the owner’s while the owner is there, else the one of most people, of several the first', () => {
    const people = [joined(alice, from('FR')), joined(bob, from('DE'))];
    const robots = ['x1', 'x2'].map((userId) =>
      joined(userId as UserId, { ...from('US'), isRobot: true }),
    );
    const withOwner = [...people, joined(owner, from('IT'))];
    const country = (events: readonly ReturnType<typeof joined>[]) =>
      countryOfRoom(given(created(), ...events.map((event) => [event])).state);
    expect(country(withOwner)).toBe('IT');
    expect(country([...people, ...robots])).toBe('DE');
    expect(country([...people, joined('c' as UserId, from('FR'))])).toBe('FR');
    expect(country([joined(alice, from('')), ...robots])).toBeNull();
  });
});
