/**
 * The display lane on the real stack: what a room is shown beside its facts leaves once and without an
 * outbox row, and costs nothing where IM refuses it (DIM-1, DIM-2, DIM-4). Gifts bring most of it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { displaysSent } from './support/displays.ts';
import { fleetApp, type Fleet } from './support/fleet.ts';
import { GiftFleet } from './support/gift-fleet.ts';
import type { Gift, GiftPlayer } from './support/gift-play.ts';
import { arrivedAt, counterOf } from './support/observe.ts';

/** Joins and leaves of a room with more users are shown together. */
const largeRoomUsers = 6;
const rose: Gift = { from: 'u1', to: ['u2'] };

let gifts: GiftFleet;
let fleet: Fleet;
let player: GiftPlayer;

beforeAll(async () => {
  gifts = await GiftFleet.open('displays', ['gateway', 'cell'], 10_000, {
    ROOMCELL_DISPLAY_LARGE_ROOM_USERS: String(largeRoomUsers),
    // No gift of these tests fills it.
    ROOMCELL_ROCKET_AT_START: `${fleetApp}/round/carry=1000000:1500`,
  });
  ({ fleet, player } = gifts);
});
afterAll(async () => {
  await gifts.close();
});
afterEach(() => {
  gifts.taps.imRefuses = () => false;
});

describe('what a room is shown beside its facts', () => {
  const types = ['RoomGiftBatchShown', 'RoomRocketProgressed', 'RoomUsersCameAndWent'] as const;
  const crowd = Array.from({ length: largeRoomUsers + 3 }, (_, n) => `u${n + 1}`);
  const toTwo: Gift = { from: 'u1', to: ['u2', 'u3'] };
  const sent = (room: string) => displaysSent(gifts.taps, room, types);
  const sentOf = (room: string, type: (typeof types)[number]) =>
    sent(room).filter((display) => display.type === type);

  it('arrives at IM once and without an outbox row: batches, joins of a crowd together, and rocket progress once a second (DIM-1, DIM-4, TST-17)', async () => {
    const room = 'shown';
    await player.fill(room, crowd);
    const sinceMs = performance.now();
    // With the joins and all facts fewer messages than IM takes of a group in a second: above that,
    // displays give way.
    const given = Array.from({ length: 6 }, (_, n) => player.give(room, `g${n + 1}`, toTwo));
    await Promise.all(given);
    const ofAll = await waitUntil(
      'the fuel of all gifts is shown',
      () => {
        const shown = sentOf(room, 'RoomRocketProgressed');
        return Promise.resolve(shown.at(-1)?.payload['fuel'] === '120' && shown);
      },
      { seen: () => sent(room) },
    );
    // The first at once, one at the end of each second.
    const seconds = Math.ceil((performance.now() - sinceMs) / 1_000);
    expect(ofAll.length).toBeLessThanOrEqual(seconds + 1);
    expect(sentOf(room, 'RoomGiftBatchShown')).toHaveLength(6);
    const joins = sentOf(room, 'RoomUsersCameAndWent');
    const gathered = joins.reduce((sum, { payload }) => sum + Number(payload['joined_count']), 0);
    const alone = await fleet.sql(
      "SELECT event_id FROM room_outbox WHERE room_id = ? AND destination = 'im' " +
        "AND event_type = 'RoomUserJoined'",
      [room],
    );
    expect(gathered).toBeGreaterThan(0);
    expect(gathered + alone.length).toBe(crowd.length);
    const ids = sent(room).map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
    const places = ids.map(() => '?').join();
    const rows = await fleet.sql(`SELECT id FROM room_outbox WHERE event_id IN (${places})`, ids);
    expect(rows).toEqual([]);
    const arrived = (await arrivedAt(fleet, 'im')).get(room) ?? [];
    expect(arrived.map(({ event_id }) => event_id)).toEqual(expect.arrayContaining(ids));
    await gifts.books();
  });

  it('is tried once where IM refuses it: commands and facts go on, and the failures are counted (DIM-2)', async () => {
    const room = 'not-shown';
    await player.fill(room, crowd.slice(0, largeRoomUsers));
    const outside = fleet.processes.find(({ name }) => name === 'outside');
    if (outside === undefined) throw new Error('there is no process of adapters');
    const failures = (): Promise<number> =>
      counterOf(outside, 'adapter_displays_total', 'outcome="failed"');
    const before = await failures();
    gifts.taps.imRefuses = (body) => types.some((type) => body.includes(type));
    const end = await player.give(room, 'g1', toTwo);
    expect(end).toMatchObject({ kind: 'given', result: { applied: true } });
    const tries = await waitUntil(
      'a batch and a rocket’s progress have failed',
      async () => (await failures()) - before >= 2 && sent(room),
      { seen: () => sent(room) },
    );
    expect(tries.map(({ type }) => type).sort()).toEqual(types.slice(0, 2));
    // The end of the window brings the next one, later than an outbox row would have come again.
    await player.give(room, 'g2', rose);
    await waitUntil('the next progress has failed', async () => (await failures()) - before >= 3);
    gifts.taps.imRefuses = () => false;
    await gifts.books();
    const rows = await fleet.sql(
      'SELECT DISTINCT status, retry_count FROM room_outbox WHERE room_id = ?',
      [room],
    );
    expect(rows).toEqual([{ status: 'delivered', retry_count: 0 }]);
    const ids = sent(room).map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
