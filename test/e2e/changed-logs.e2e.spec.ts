/**
 * What lies in Kafka and what is stored have come apart while nobody owned anything: the log was cut
 * ahead of its reader, the group's offsets are gone or ahead, the topic was made anew (bug case A3).
 * Only the partition that cannot know how to go on stands still, and by name; what is stored decides
 * where all others go on.
 */
import type { Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { commandsTopicOf, counterOf, logOf, observerOf } from './support/observe.ts';
import { partitionOfRoom, roomWhere } from './support/ownership.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

const cutRoom = roomWhere('cut', () => true);
const plainRoom = roomWhere('plain', (partition) => partition !== partitionOfRoom(cutRoom));
const aheadRoom = roomWhere(
  'ahead',
  (partition) => ![cutRoom, plainRoom].map(partitionOfRoom).includes(partition),
);
const rooms = [cutRoom, plainRoom, aheadRoom];
const [cut, plain, ahead] = rooms.map(partitionOfRoom) as [number, number, number];
/** Longer than a cell needs to come back. */
const patientMs = 40_000;
const joinsMeanwhile = 5;

let fleet: Fleet;
let client: FleetClient;
let admin: Admin;
let cell: RoleProcess;

beforeAll(async () => {
  fleet = await Fleet.open('changedlogs');
  const gateway = await fleet.start('gateway-1', ['gateway']);
  cell = await fleet.start('cell-a', ['cell']);
  await Promise.all([gateway.ready(), cell.ready()]);
  client = fleet.connect(gateway);
  admin = observerOf(fleet).admin();
  await admin.connect();
}, 120_000);
afterAll(async () => {
  await admin.disconnect();
  await fleet.close();
});

function players(): RoomPlayer[] {
  return rooms.map((room) => new RoomPlayer(fleet, client, room));
}

/** One join of a patient caller that nobody asks for again; null: no answer ever came. */
async function patientJoin(room: string, user: string): Promise<bigint | null> {
  const token = await fleet.token(user);
  const meta = { appCode: fleetApp, roomId: room, commandId: `j-${user}`, actorUserId: user };
  const body = { meta, profile: { nickname: user } };
  return client.commands.joinRoom(body, { timeoutMs: patientMs, token }).then(
    ({ roomVersion }) => roomVersion,
    () => null,
  );
}

/** Where the log of each partition ends. */
async function ends(): Promise<readonly bigint[]> {
  const offsets = await admin.fetchTopicOffsets(commandsTopicOf(fleet));
  return offsets
    .sort((one, other) => one.partition - other.partition)
    .map(({ high }) => BigInt(high));
}

/** What a partition stands still for, as stored; null: it does not. */
async function stopOf(
  partition: number,
): Promise<{ readonly state: string; readonly expected: bigint } | null> {
  const [row] = await fleet.sql(
    'SELECT state, expected_offset FROM partition_stops WHERE partition_id = ?',
    [partition],
  );
  if (row === undefined) return null;
  return { state: String(row['state']), expected: BigInt(String(row['expected_offset'])) };
}

function standing(partition: number): Promise<{ state: string; expected: bigint }> {
  return waitUntil(`partition ${partition} stands still`, () => stopOf(partition), {
    limitMs: 30_000,
    seen: () => cell.tail(),
  });
}

async function accept(partition: number, choice: string): Promise<void> {
  const { state, expected } = await standing(partition);
  const what = ['--partition', String(partition), '--state', state, '--expected', String(expected)];
  const code = await fleet.roomcell(
    ...['partitions', 'accept', ...what, '--choice', choice, '--as', 'kim'],
  );
  expect(code).toBe(0);
}

async function appliedOffset(partition: number): Promise<bigint> {
  const [row] = await fleet.sql(
    'SELECT applied_offset FROM partition_owner WHERE partition_id = ?',
    [partition],
  );
  return BigInt(String(row?.['applied_offset'] ?? -1));
}

async function stopCell(): Promise<void> {
  expect((await cell.terminate()).code).toBe(0);
}

async function startCell(name: string): Promise<void> {
  cell = await fleet.start(name, ['cell']);
}

/** Log rows of a room's joins, in the order of their offsets. */
async function joinOffsets(room: string): Promise<bigint[]> {
  const rows = await fleet.sql(
    "SELECT kafka_offset FROM room_command_log WHERE room_id = ? AND command_id LIKE 'j-%' ORDER BY kafka_offset",
    [room],
  );
  return rows.map((row) => BigInt(String(row['kafka_offset'])));
}

describe('a cell that comes back', () => {
  let waiting: Map<string, Promise<bigint | null>[]>;
  let before: readonly bigint[];

  it('stands still where the log was cut, and where Kafka’s offset is ahead, and only there (A3)', async () => {
    await Promise.all(players().map((player) => player.create('c1')));
    await stopCell();
    before = await ends();
    waiting = new Map(
      rooms.map((room) => [
        room,
        Array.from({ length: joinsMeanwhile }, (_, n) => patientJoin(room, `u${n}`)),
      ]),
    );
    const wanted = before.map((end, partition) =>
      [cut, plain, ahead].includes(partition) ? end + BigInt(joinsMeanwhile) : end,
    );
    await waitUntil('all joins lie on the topic', async () => {
      const now = await ends();
      return wanted.every((end, partition) => now[partition] === end);
    });
    const topic = commandsTopicOf(fleet);
    const endOf = (partition: number): string => String(wanted[partition]);
    // (a) retention ran ahead, (b) the group's offsets are gone, (c) and one of them is ahead.
    await admin.deleteTopicRecords({
      topic,
      partitions: [{ partition: cut, offset: endOf(cut) }],
    });
    await admin.deleteGroups([`${topic}.cells`]);
    await admin.setOffsets({
      groupId: `${topic}.cells`,
      topic,
      partitions: [{ partition: ahead, offset: endOf(ahead) }],
    });
    await startCell('cell-b');
    expect(await standing(cut)).toEqual({ state: 'GAP', expected: before[cut] });
    expect(await standing(ahead)).toEqual({ state: 'DB_REWOUND', expected: before[ahead] });
    const answers = await Promise.all(waiting.get(plainRoom) ?? []);
    expect(answers.sort()).toEqual([2n, 3n, 4n, 5n, 6n]);
    const first = before[plain] ?? 0n;
    expect(await joinOffsets(plainRoom)).toEqual(answers.map((_, n) => first + BigInt(n)));
    expect(await appliedOffset(cut)).toBe((before[cut] ?? 0n) - 1n);
    expect(await appliedOffset(ahead)).toBe((before[ahead] ?? 0n) - 1n);
    expect(await counterOf(cell, 'cell_partition_stops_total', 'state="GAP"')).toBe(1);
  });

  it('goes on by an operator’s word: behind the gap, and at what comes next by the tables (A3)', async () => {
    await accept(ahead, 'resume');
    const answers = await Promise.all(waiting.get(aheadRoom) ?? []);
    expect(answers.sort()).toEqual([2n, 3n, 4n, 5n, 6n]);
    const first = before[ahead] ?? 0n;
    expect(await joinOffsets(aheadRoom)).toEqual(answers.map((_, n) => first + BigInt(n)));
    await accept(cut, 'skip');
    const joined = await new RoomPlayer(fleet, client, cutRoom).join('j-late', 'late');
    expect(joined).toMatchObject({ applied: true, roomVersion: 2n });
    expect((await logOf(fleet, cutRoom)).map(({ commandId }) => commandId)).toEqual([
      'c1',
      'j-late',
    ]);
    const audit = await fleet.sql(
      "SELECT operator_id FROM operator_audit WHERE action = 'AcceptState'",
    );
    expect(audit.map((row) => String(row['operator_id']))).toEqual(['kim', 'kim']);
  });

  it('executes nothing of a topic that was made anew under the old name until an operator has looked (A3)', async () => {
    await stopCell();
    const topic = commandsTopicOf(fleet);
    await admin.deleteTopics({ topics: [topic] });
    await waitUntil('the topic is gone', async () => !(await admin.listTopics()).includes(topic));
    await admin.createTopics({
      topics: [
        {
          topic,
          numPartitions: before.length,
          configEntries: [{ name: 'message.timestamp.type', value: 'LogAppendTime' }],
        },
      ],
    });
    await startCell('cell-c');
    for (const partition of [cut, plain, ahead]) {
      expect((await standing(partition)).state).toBe('TOPIC_CHANGED');
    }
    await accept(plain, 'restart');
    const left = await new RoomPlayer(fleet, client, plainRoom).leave('l-u0', 'u0');
    expect(left).toMatchObject({ applied: true, roomVersion: 7n });
    expect((await stopOf(cut))?.state).toBe('TOPIC_CHANGED');
  });
});
