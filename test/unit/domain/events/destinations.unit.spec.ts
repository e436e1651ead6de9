/** The table of event destinations (DIM-4, OUT-24). */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { eventRoute, eventRoutes } from '../../../../src/domain/events/destinations.ts';
import type { OutboxDestination } from '../../../../src/domain/events/destinations.ts';
import type { RoomEventType } from '../../../../src/domain/room/events.ts';
import { destinations } from '../../../../src/protocol/topics.ts';
import type { Destination } from '../../../../src/protocol/topics.ts';

const types = Object.keys(eventRoutes) as RoomEventType[];

describe('eventRoutes', () => {
  it('every event is a fact for IM and activity, but for these (ROOM-16)', () => {
    const others = types
      .filter((type) => eventRoute(type).destinations.join(' ') !== 'im activity')
      .map((type) => [type, ...eventRoute(type).destinations].join(' '));
    expect(others.toSorted()).toEqual([
      'RoomMicRequestEnded im',
      'RoomMicRequested im',
      'RoomMicRtcNoted',
      'RoomPasswordAttemptFailed',
      'RoomRocketFueled',
      'RoomUserEvicted im activity rtc',
      'RoomUserKicked im activity rtc',
      'RoomVisibleRegionChanged activity',
    ]);
  });

  it('wrong passwords and times of RTC events are told to nobody outside', () => {
    for (const type of ['RoomPasswordAttemptFailed', 'RoomMicRtcNoted'] as const) {
      expect(eventRoute(type)).toMatchObject({ destinations: [], repairedBySnapshot: true });
    }
  });

  it('rows are written in the order of the topics, each destination once (PUB-4, PUB-7)', () => {
    for (const { destinations: named } of Object.values(eventRoutes)) {
      expect(destinations.filter((destination) => named.includes(destination))).toEqual(named);
    }
  });

  it('what no later view shows is never superseded: the room itself, who was put out or let in again, gifts, rockets', () => {
    const lasting = types.filter((type) => !eventRoute(type).repairedBySnapshot);
    expect(lasting.toSorted()).toEqual([
      'RoomClosed',
      'RoomCreated',
      'RoomDeleted',
      'RoomGiftSent',
      'RoomRocketIgnited',
      'RoomRocketLaunched',
      'RoomUserEvicted',
      'RoomUserKicked',
      'RoomUserUnbanned',
    ]);
  });

  it('IM drops comings and goings before seats, and seats before gifts and the end of the room', () => {
    const order = ['lowest', 'low', 'normal', 'high'];
    const rank = (type: RoomEventType): number => order.indexOf(eventRoute(type).imPriority);
    expect(rank('RoomUserJoined')).toBeLessThan(rank('RoomMicUp'));
    expect(rank('RoomMicUp')).toBeLessThan(rank('RoomGiftSent'));
    expect(rank('RoomMicUp')).toBeLessThan(rank('RoomClosed'));
    expect(rank('RoomMicUp')).toBeLessThan(rank('RoomClosing'));
    expect(rank('RoomMicUp')).toBeLessThan(rank('RoomUserKicked'));
  });

  it('what is rare and final comes first in IM, what is many and soon repeated last', () => {
    const typesOf = (priority: string) =>
      types.filter((type) => eventRoute(type).imPriority === priority).toSorted();
    expect(typesOf('high')).toEqual([
      'RoomClosed',
      'RoomClosing',
      'RoomCreated',
      'RoomDeleted',
      'RoomGiftSent',
      'RoomRocketIgnited',
      'RoomRocketLaunched',
      'RoomUserEvicted',
      'RoomUserKicked',
      'RoomUserUnbanned',
    ]);
    expect(typesOf('low')).toEqual(['RoomUserJoined', 'RoomUserLeft', 'RoomUsersStaleLeft']);
    expect(typesOf('lowest')).toEqual([
      'RoomMicRtcNoted',
      'RoomPasswordAttemptFailed',
      'RoomRocketFueled',
      'RoomUserUpdated',
    ]);
    expect(typesOf('normal')).toHaveLength(types.length - 17);
  });

  it('names the same destinations as the topics do', () => {
    expectTypeOf<OutboxDestination>().toEqualTypeOf<Destination>();
  });
});
