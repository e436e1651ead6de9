/** Which lane an event's message takes, and what a large room gathers. */
import { describe, expect, it } from 'vitest';
import { eventRoutes } from '../../../../src/domain/events/destinations.ts';
import { gatherDisplays, shownUsersMax } from '../../../../src/domain/events/displays.ts';
import type { RoomUsersCameAndWent } from '../../../../src/domain/events/displays.ts';
import {
  displayLaneFault,
  imLaneOf,
  outboxDestinationsOf,
  type ImLanes,
} from '../../../../src/domain/events/im-lanes.ts';
import type { UserId } from '../../../../src/domain/ids.ts';
import type { RoomEvent, RoomEventType } from '../../../../src/domain/room/events.ts';
import { events } from '../../../golden/0.4.0/samples.ts';

const standard: ImLanes = { byDisplay: new Set(), largeRoomUsers: 100 };
const small = { onlineCount: 100 };
const large = { onlineCount: 101 };
const left: RoomEvent = { type: 'RoomUserLeft', userId: 'u1' as UserId, reason: 'left' };

describe('lanes to instant messaging', () => {
  it('every event has the destinations of its table as long as nothing else is said (DIM-4)', () => {
    for (const event of events) {
      expect(outboxDestinationsOf(event, standard, small)).toEqual(
        eventRoutes[event.type].destinations,
      );
    }
  });

  it('a type given to the display lane has no IM row and keeps the others (DIM-4, CFG-10)', () => {
    const lanes = { ...standard, byDisplay: new Set<RoomEventType>(['RoomUserLeft']) };
    expect(imLaneOf(left, lanes, small)).toBe('display');
    expect(outboxDestinationsOf(left, lanes, small)).toEqual(['activity']);
  });

  it('only what a snapshot repairs may be given away (SVC-15)', () => {
    const may = (Object.keys(eventRoutes) as RoomEventType[]).filter(
      (type) => displayLaneFault(type) === null,
    );
    for (const type of may) {
      expect(eventRoutes[type]).toMatchObject({ repairedBySnapshot: true });
      expect(eventRoutes[type].destinations).toContain('im');
    }
    for (const type of ['RoomCreated', 'RoomClosed', 'RoomGiftSent', 'RoomUserKicked', 'Foo']) {
      expect(displayLaneFault(type), type).not.toBeNull();
    }
  });

  it('joins and leaves of a large room get no message of their own, and nothing else changes', () => {
    for (const event of events) {
      const isGathered = event.type === 'RoomUserJoined' || event.type === 'RoomUserLeft';
      const { destinations } = eventRoutes[event.type];
      expect(outboxDestinationsOf(event, standard, large), event.type).toEqual(
        isGathered ? ['activity'] : destinations,
      );
      if (isGathered) expect(imLaneOf(event, standard, large)).toBe('none');
    }
  });
});

describe('gathered comings and goings', () => {
  const shown = (from: number, count: number): RoomUsersCameAndWent => ({
    type: 'RoomUsersCameAndWent',
    joined: Array.from({ length: count }, (_, index) => ({
      userId: `u${from + index}` as UserId,
      profile: { nickname: '', avatarUrl: '', countryCode: '', ext: '' },
      isRobot: false,
    })),
    joinedCount: count,
    leftUserIds: [`gone${from}` as UserId],
    leftCount: 1,
    onlineCount: 100 + from + count,
  });

  it('count all, name the last ones and say how many there are now', () => {
    const together = gatherDisplays(shown(0, 8), shown(8, 8));
    expect(together).toMatchObject({ joinedCount: 16, leftCount: 2, onlineCount: 116 });
    expect(together.joined).toHaveLength(shownUsersMax);
    expect(together.joined.at(-1)?.userId).toBe('u15');
    expect(together.leftUserIds).toEqual(['gone0', 'gone8']);
  });
});
