/**
 * A record over which process after process ends (ADR 11): real cells die over it with SIGKILL, one
 * after the other, until it is found, and nothing else is lost on the way.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandState } from '../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { joinRoomBody } from '../support/cell-rig.ts';
import { headerNames } from '../../src/protocol/topics.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { commandOffsets, countOf, logOf } from './support/observe.ts';
import { RoomPlayer } from './support/play.ts';
import { commandValue, fleetPartitionCount, placeOf, RawRecords } from './support/raw-records.ts';
import type { RoleProcess } from './support/role-process.ts';

const room = 'killing';
/** Two lives until it is searched, two tries, and the one that sets the record aside; one to spare. */
const livesMax = 6;

let fleet: Fleet;
let client: FleetClient;
let records: RawRecords;

beforeAll(async () => {
  fleet = await Fleet.open('poison');
  const gateway = await fleet.start('gateway-1', ['gateway']);
  await gateway.ready();
  client = fleet.connect(gateway);
  records = await RawRecords.open(fleet);
});
afterAll(async () => {
  await records.close();
  await fleet.close();
});

/** Puts a JoinRoom that never expires onto the topic; answers its offset. */
function putJoin(commandId: string, user: string): Promise<string> {
  const { key, partition } = placeOf(room);
  const value = commandValue(room, commandId, user, joinRoomBody());
  return records.put(partition, { key, value });
}

it('a record that kills every cell is set aside, and all records around it are executed once', async () => {
  const player = new RoomPlayer(fleet, client, room);
  const first = await fleet.start('cell-0', ['cell']);
  await first.ready();
  await player.create('c1');
  expect((await first.terminate()).code).toBe(0);
  await putJoin('before', 'u1');
  const offset = await putJoin('poison', 'u2');
  await putJoin('behind', 'u3');

  const { partition } = placeOf(room);
  const about = `${partition}:${offset}`;
  const letters = (): Promise<number> =>
    countOf(fleet, 'SELECT COUNT(*) AS n FROM room_dead_letters');
  const lives: RoleProcess[] = [];
  while ((await letters()) === 0 && lives.length < livesMax) {
    const cell = await fleet.start(`cell-${lives.length + 1}`, ['cell'], {
      faultAt: { point: 'cell.record_begun', pass: 1, action: 'kill', about },
    });
    lives.push(cell);
    await waitUntil('the cell dies, or sets the record aside', async () =>
      !cell.running || (await letters()) > 0 ? true : null,
    );
  }
  for (const dead of lives.slice(0, -1)) expect((await dead.exited).signal).toBe('SIGKILL');
  expect(lives.at(-1)?.running).toBe(true);
  const [letter] = await fleet.sql(
    'SELECT partition_id, kafka_offset, reason FROM room_dead_letters',
  );
  expect(letter).toEqual({ partition_id: partition, kafka_offset: offset, reason: 'POISON' });

  await waitUntil('the record behind it is executed', async () =>
    (await logOf(fleet, room)).some(({ commandId }) => commandId === 'behind') ? true : null,
  );
  const lookup = await client.queries.getCommand(
    { appCode: fleetApp, roomId: room, commandId: 'poison' },
    { timeoutMs: 10_000, token: await fleet.token('u2') },
  );
  expect(lookup.state).toBe(CommandState.NOT_EXECUTED);
  // Its id is free: the same command, sent again, is another record and kills nobody.
  expect(await player.join('poison', 'u2')).toMatchObject({ applied: true, replayed: false });
  const log = await logOf(fleet, room);
  expect(log.map(({ commandId, version }) => [commandId, version])).toEqual([
    ['c1', '1'],
    ['before', '2'],
    ['behind', '3'],
    ['poison', '4'],
  ]);
  expect(await letters()).toBe(1);

  // What it was is sent again by an operator: known by its id, it changes nothing a second time.
  const where = ['--partition', String(partition), '--offset', offset];
  expect(await fleet.roomcell('dead-letters', 'replay', ...where, '--as', 'kim')).toBe(0);
  await waitUntil('the record that was sent again is read', async () => {
    const ends = await commandOffsets(fleet);
    const [row] = await fleet.sql(
      'SELECT applied_offset FROM partition_owner WHERE partition_id = ?',
      [partition],
    );
    const end = ends.find((each) => each.partition === partition)?.end;
    return end === BigInt(String(row?.['applied_offset'])) + 1n && end > BigInt(offset) + 2n;
  });
  expect(await logOf(fleet, room)).toHaveLength(4);
  expect(await letters()).toBe(1);
});

it('a command that was set aside is executed when an operator sends its record again', async () => {
  const { key, partition } = placeOf(room);
  const value = commandValue(room, 'aside', 'u4', joinRoomBody());
  const wrong = (partition + 1) % fleetPartitionCount;
  // A gateway of another layout wrote it: no owner there may execute it, and this stays so …
  const astray = await records.put(wrong, { key, value });
  await letterAt(wrong, astray);
  const again = (from: number, offset: string): Promise<number | null> => {
    const where = ['--partition', String(from), '--offset', offset];
    return fleet.roomcell('dead-letters', 'replay', ...where, '--as', 'kim');
  };
  expect(await again(wrong, astray)).toBe(0);
  await letterAt(wrong, String(BigInt(astray) + 1n));
  // … but one whose cause is gone is executed, once.
  const broken = await records.put(partition, {
    key,
    value,
    headers: { [headerNames.crc32c]: 'deadbeef' },
  });
  await letterAt(partition, broken);
  await fleet.sql(
    "UPDATE room_dead_letters SET headers_json = '{}' WHERE partition_id = ? AND kafka_offset = ?",
    [partition, broken],
  );
  expect(await again(partition, broken)).toBe(0);
  await waitUntil('it is executed', async () =>
    (await logOf(fleet, room)).some(({ commandId }) => commandId === 'aside') ? true : null,
  );
  expect(await again(partition, '999999')).toBe(1);
});

/** Waits for the letter about a record. */
async function letterAt(partition: number, offset: string): Promise<void> {
  await waitUntil(`the record at ${partition}:${offset} is set aside`, async () => {
    const where = 'WHERE partition_id = ? AND kafka_offset = ?';
    const text = `SELECT COUNT(*) AS n FROM room_dead_letters ${where}`;
    return (await countOf(fleet, text, [partition, offset])) === 1;
  });
}
