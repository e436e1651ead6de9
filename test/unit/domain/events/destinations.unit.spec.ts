/** The table of event destinations (DIM-4, OUT-24). */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { eventRoute, eventRoutes } from '../../../../src/domain/events/destinations.ts';
import type { OutboxDestination } from '../../../../src/domain/events/destinations.ts';
import type { RoomEventType } from '../../../../src/domain/room/events.ts';
import { destinations } from '../../../../src/protocol/topics.ts';
import type { Destination } from '../../../../src/protocol/topics.ts';

const types = Object.keys(eventRoutes) as RoomEventType[];

describe('eventRoutes', () => {
  it.each(types)('%s is a fact for IM and activity', (type) => {
    expect(eventRoute(type).destinations).toEqual(['im', 'activity']);
  });

  it('rows are written in the order of the topics, each destination once', () => {
    for (const { destinations: named } of Object.values(eventRoutes)) {
      expect(destinations.filter((destination) => named.includes(destination))).toEqual(named);
    }
  });

  it('the making and the end of a room and its gifts are never superseded; a view repairs the rest', () => {
    const lasting = types.filter((type) => !eventRoute(type).repairedBySnapshot);
    expect(lasting.toSorted()).toEqual(['RoomClosed', 'RoomCreated', 'RoomGiftSent']);
  });

  it('IM drops comings and goings before seats, and seats before gifts and the end of the room', () => {
    const order = ['lowest', 'low', 'normal', 'high'];
    const rank = (type: RoomEventType): number => order.indexOf(eventRoute(type).imPriority);
    expect(rank('RoomUserJoined')).toBeLessThan(rank('RoomMicUp'));
    expect(rank('RoomMicUp')).toBeLessThan(rank('RoomGiftSent'));
    expect(rank('RoomMicUp')).toBeLessThan(rank('RoomClosed'));
  });

  it('names the same destinations as the topics do', () => {
    expectTypeOf<OutboxDestination>().toEqualTypeOf<Destination>();
  });
});
