/**
 * Answers find the gateway that asked, whoever comes and goes meanwhile (bug case A4): a gateway's
 * place on the reply topic is leased and never moves by an assignment, and whoever gets the place of
 * one that died takes none of its answers for its own.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet } from './support/fleet.ts';
import { countOf, counterOf, recordsProduced } from './support/observe.ts';
import type { RoleProcess } from './support/role-process.ts';
import { createBurst, type BurstEnd } from './support/room-load.ts';

const crowd = 200;
const orphans = 50;
/** Answers come while the cell is awake again; nobody may run out of time before. */
const patientMs = 60_000;

let fleet: Fleet;
let cell: RoleProcess;
let first: RoleProcess;

beforeAll(async () => {
  fleet = await Fleet.open('replypath', {
    // The cell stands still while gateways come and go; the group must not give it up for that.
    ROOMCELL_KAFKA_SESSION_TIMEOUT: '15s',
    ROOMCELL_GATEWAY_REPLY_SLOT_TTL: '3s',
    ROOMCELL_KAFKA_REPLY_PARTITIONS: '3',
  });
  cell = await fleet.start('cell-a', ['cell']);
  first = await fleet.start('gateway-1', ['gateway']);
  await Promise.all([cell.ready(), first.ready()]);
}, 120_000);
afterAll(() => fleet.close());

const names = (stem: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${stem}-${n}`);

/** Calls at a gateway whose answers are still to come: all lie on the commands topic. */
async function inFlight(
  gateway: RoleProcess,
  rooms: readonly string[],
): Promise<{ readonly ends: Promise<BurstEnd[]> }> {
  const before = await recordsProduced(fleet);
  cell.freeze();
  const ends = createBurst(fleet, fleet.connect(gateway), rooms, patientMs);
  await waitUntil(
    `${rooms.length} commands lie on the topic`,
    async () => (await recordsProduced(fleet)) === before + BigInt(rooms.length),
    { everyMs: 50, limitMs: 20_000 },
  );
  return { ends };
}

/** Which place on the reply topic a gateway holds; null: none that counts. */
async function placeOf(name: string): Promise<number | null> {
  const [row] = await fleet.sql(
    'SELECT slot FROM reply_slots WHERE node_id = ? AND lease_until_ms > 0',
    [name],
  );
  return row === undefined ? null : Number(row['slot']);
}

describe('a gateway with calls in flight', () => {
  it('gets every answer of its own while others join and die, from the place that it had (A4)', async () => {
    const place = await placeOf('gateway-1');
    const calls = await inFlight(first, names('crowd', crowd));
    const second = await fleet.start('gateway-2', ['gateway']);
    const third = await fleet.start('gateway-3', ['gateway']);
    await Promise.all([second.ready(), third.ready()]);
    await second.kill();
    cell.thaw();
    const ends = await calls.ends;
    expect(ends.map(({ kind }) => kind)).toEqual(Array(crowd).fill('answered'));
    expect(await placeOf('gateway-1')).toBe(place);
    expect(await countOf(fleet, 'SELECT COUNT(*) AS n FROM room_command_log')).toBe(crowd);
    for (const gateway of [first, third]) {
      expect(await counterOf(gateway, 'gateway_replies_dropped_total')).toBe(0);
    }
  });

  it('leaves none of its answers to the one that gets its place when it dies (A4)', async () => {
    // It waits for the second one's place, so that then only the first one's can come free.
    await (await fleet.start('gateway-4', ['gateway'])).ready();
    const place = await placeOf('gateway-1');
    const calls = await inFlight(first, names('orphan', orphans));
    await first.kill();
    const lost = await calls.ends;
    expect(new Set(lost.map(({ kind }) => kind))).toEqual(new Set(['failed']));
    const next = await (await fleet.start('gateway-5', ['gateway'])).ready();
    expect(await placeOf('gateway-5')).toBe(place);
    const own = createBurst(fleet, fleet.connect(next), names('own', orphans), patientMs);
    cell.thaw();
    expect((await own).map(({ kind }) => kind)).toEqual(Array(orphans).fill('answered'));
    await waitUntil('the answers to the dead one were dropped', async () => {
      const foreign = await counterOf(next, 'gateway_replies_dropped_total', 'why="foreign"');
      return foreign === orphans;
    });
    expect(await counterOf(next, 'gateway_replies_dropped_total')).toBe(orphans);
    const rows = await countOf(fleet, 'SELECT COUNT(*) AS n FROM room_command_log');
    expect(rows).toBe(crowd + 2 * orphans);
  });
});
