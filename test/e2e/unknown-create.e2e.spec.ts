/**
 * A time-out that nobody takes for a failure (A5): the owner freezes with a CreateRoom in its hand, the
 * caller hears nothing and asks again under the same id, somebody else wants the same room. Whoever
 * executes in the end, there is one room, made once, and no gateway makes one by itself.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandState } from '../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { RoomMode } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { countOf, failureOf, logOf } from './support/observe.ts';
import { bothOwn, roomOf } from './support/ownership.ts';
import { untilAnswered } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

let fleet: Fleet;
/** Of the caller, and of somebody else at another gateway. */
let client: FleetClient;
let other: FleetClient;
const cells = new Map<string, RoleProcess>();

beforeAll(async () => {
  fleet = await Fleet.open('unknown');
  const gateways = [
    await fleet.start('gateway-1', ['gateway']),
    await fleet.start('gateway-2', ['gateway']),
  ];
  for (const name of ['cell-a', 'cell-b']) {
    const faultAt = {
      point: 'cell.record_read',
      pass: 1,
      action: 'stop',
      armedBy: `freeze-${name}`,
    } as const;
    cells.set(name, await fleet.start(name, ['cell'], { faultAt }));
  }
  for (const started of fleet.processes) await started.ready();
  [client, other] = gateways.map((gateway) => fleet.connect(gateway)) as [FleetClient, FleetClient];
});
afterAll(async () => {
  await fleet.close();
});

/** Waits until so many milliseconds have passed since the first call. */
function at(startedMs: number, afterMs: number): Promise<unknown> {
  return waitUntil(`${afterMs} ms after the first call`, () =>
    Promise.resolve(performance.now() - startedMs >= afterMs),
  );
}

/** Longer than any freeze: a command that waits so long for its owner is still executed. */
const patientMs = 25_000;

async function createOnce(room: string, timeoutMs: number) {
  const token = await fleet.token('owner');
  return create(client, { roomId: room, commandId: 'c1', user: 'owner' }, { timeoutMs, token });
}

async function createPatiently(by: FleetClient, wanted: Parameters<typeof create>[1]) {
  const token = await fleet.token(wanted.user);
  const call = { timeoutMs: patientMs, token };
  return untilAnswered(wanted.commandId, () => create(by, wanted, call));
}

function create(
  by: FleetClient,
  wanted: { readonly roomId: string; readonly commandId: string; readonly user: string },
  call: { readonly timeoutMs: number; readonly token: string },
) {
  const { roomId, commandId, user } = wanted;
  const meta = { appCode: fleetApp, roomId, commandId, actorUserId: user };
  const body = { meta, title: 'Evening talk', seatCount: 8, mode: RoomMode.FREE };
  return by.commands.createRoom(body, call);
}

async function rowsOf(room: string): Promise<number[]> {
  const tables = ['rooms', 'room_command_log', 'room_events', 'room_outbox'];
  return Promise.all(
    tables.map((table) =>
      countOf(fleet, `SELECT COUNT(*) AS n FROM ${table} WHERE room_id = ?`, [room]),
    ),
  );
}

/** What must stand in the tables, whoever executed it: one room, made once; its second maker refused. */
async function expectOneRoom(room: string): Promise<void> {
  const log = await logOf(fleet, room);
  expect(log.map(({ commandId, outcome, version }) => [commandId, outcome, version])).toEqual([
    ['c1', 'applied', '1'],
    ['c2', 'rejected', null],
  ]);
  const events = await fleet.sql('SELECT event_id, event_type FROM room_events WHERE room_id = ?', [
    room,
  ]);
  expect(events.map((row) => String(row['event_type']))).toEqual(['RoomCreated']);
  const sent = await fleet.sql('SELECT DISTINCT event_id FROM room_outbox WHERE room_id = ?', [
    room,
  ]);
  expect(sent.map((row) => String(row['event_id']))).toEqual([String(events[0]?.['event_id'])]);
  const makers = await fleet.sql(
    'SELECT DISTINCT owner_node_id FROM room_command_log WHERE room_id = ?',
    [room],
  );
  for (const row of makers) expect([...cells.keys()]).toContain(row['owner_node_id']);
}

describe('an owner that freezes with a CreateRoom in its hand', () => {
  it.each([
    ['for five seconds', 'cell-a'],
    ['until another owner has answered', 'cell-b'],
  ])('%s leaves one room, and one stored answer to both tries (A5)', async (freeze, node) => {
    const room = roomOf(await bothOwn(fleet, 'cell-a', 'cell-b'), node, 'r9');
    const frozen = cells.get(node);
    fleet.arm(`freeze-${node}`);
    const startedMs = performance.now();
    expect(await failureOf(createOnce(room, 2_000))).toMatchObject({ status: 'DEADLINE_EXCEEDED' });
    await at(startedMs, 3_000);
    const again = createPatiently(client, { roomId: room, commandId: 'c1', user: 'owner' });
    await at(startedMs, 3_500);
    const second = failureOf(
      createPatiently(other, { roomId: room, commandId: 'c2', user: 'somebody' }),
    );
    await at(startedMs, 4_500);
    // Neither gateway has made anything while nobody answered.
    if (freeze === 'for five seconds') {
      expect(await rowsOf(room)).toEqual([0, 0, 0, 0]);
      await at(startedMs, 5_000);
      frozen?.thaw();
    }
    const [answer, refusal] = await Promise.all([again, second]);
    frozen?.thaw();
    expect(answer).toMatchObject({ applied: true, roomVersion: 1n });
    expect(refusal).toMatchObject({ reason: 'ROOM_ALREADY_EXISTS' });
    const stored = await createOnce(room, patientMs);
    expect(stored).toMatchObject({ applied: true, replayed: true, roomVersion: 1n });
    const { state, result } = await client.queries.getCommand(
      { appCode: fleetApp, roomId: room, commandId: 'c1' },
      { timeoutMs: patientMs, token: await fleet.token('owner') },
    );
    expect(state).toBe(CommandState.APPLIED);
    expect(result).toMatchObject({ applied: true, roomVersion: 1n });
    await expectOneRoom(room);
  });
});
