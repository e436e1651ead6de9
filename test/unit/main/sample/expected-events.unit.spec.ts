/** The written list agrees with itself and with the route table. */
import { describe, expect, it } from 'vitest';
import { eventRoutes } from '../../../../src/domain/events/destinations.ts';
import type { AppCode, CommandId, RoomId } from '../../../../src/domain/ids.ts';
import type { RoomEventType } from '../../../../src/domain/room/events.ts';
import {
  readExpectedEvents,
  sampleDestinations,
} from '../../../../src/main/sample/expected-events.ts';
import { eventIdOf } from '../../../../src/protocol/derived-ids.ts';

const app = 'demo' as AppCode;
const room = 'r1' as RoomId;
const expected = readExpectedEvents('config/sample-room.expected.json', app, room);

describe('config/sample-room.expected.json', () => {
  it('resolves each entry to the id that the room will derive', () => {
    const first = expected.activity[0];
    expect(first?.eventId).toBe(eventIdOf(app, room, 'create-room' as CommandId, 0));
  });

  it('names no event twice and sends each where the route table says', () => {
    for (const destination of sampleDestinations) {
      const rows = expected[destination];
      expect(new Set(rows.map(({ eventId }) => eventId)).size).toBe(rows.length);
      for (const { type } of rows) {
        expect(eventRoutes[type as RoomEventType].destinations).toContain(destination);
      }
    }
  });
});
