/** docs/events.md says where the program sends each event, and nothing else. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventTable, eventTableMarkdown } from '../../../scripts/event-table.ts';
import { displayRoutes } from '../../../src/domain/events/displays.ts';
import { eventRoutes } from '../../../src/domain/events/destinations.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/events.md', import.meta.url)),
  'utf8',
);
const table = eventTable();
const rowOf = (name: string) => table.find(({ eventType }) => eventType === name);

function rowsIn(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => /^\| *`Room/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

describe('docs/events.md', () => {
  it('lists every event and display with where it goes and in which form (EVT-7, DIM-4)', () => {
    expect(rowsIn(page)).toEqual(rowsIn(eventTableMarkdown()));
    const all = [...Object.keys(eventRoutes), ...Object.keys(displayRoutes)];
    expect(rowsIn(page)).toHaveLength(all.length);
  });

  it('tells which events nobody outside gets', () => {
    const inside = table.filter(
      ({ eventType, destinations }) =>
        destinations.length === 0 && Object.hasOwn(eventRoutes, eventType),
    );
    expect(inside.map(({ eventType }) => eventType)).toEqual([
      'RoomMicRtcNoted',
      'RoomPasswordAttemptFailed',
      'RoomRocketFueled',
    ]);
    for (const { displayLane, imForm } of inside) {
      expect([displayLane, imForm]).toEqual(['none', 'none']);
    }
  });

  it('tells what is secret and what clients do not get', () => {
    expect(rowOf('RoomPasswordChanged')?.secretFields).toEqual(['passwordHash']);
    expect(rowOf('RoomCreated')?.secretFields).toEqual(['passwordHash']);
    expect(rowOf('RoomClosed')?.notForClients).toEqual(['note']);
    expect(rowOf('RoomGiftSent')?.notForClients).toEqual(['billingReceiptId']);
  });
});
