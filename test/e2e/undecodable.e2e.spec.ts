/**
 * Records that nobody could have meant, put straight onto the commands topic: each is set aside with
 * its reason and its bytes, its partition goes on, and its offset counts as settled.
 */
import type { Message } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCodec } from '../../src/protocol/codec.ts';
import { headerNames } from '../../src/protocol/topics.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, type FleetClient } from './support/fleet.ts';
import { commandOffsets, countOf, logOf } from './support/observe.ts';
import { RoomPlayer } from './support/play.ts';
import { commandValue, fleetPartitionCount, placeOf, RawRecords } from './support/raw-records.ts';
import { valuesOf } from './support/topic-records.ts';

let fleet: Fleet;
let client: FleetClient;
let records: RawRecords;

beforeAll(async () => {
  fleet = await Fleet.open('junk');
  const core = await fleet.start('core', ['gateway', 'cell']);
  await core.ready();
  client = fleet.connect(core);
  records = await RawRecords.open(fleet);
});
afterAll(async () => {
  await records.close();
  await fleet.close();
});

/** A LeaveRoom of `room` as a gateway would encode it. */
function goodValue(room: string): Buffer {
  return commandValue(room, 'raw-1', 'owner', { type: 'LeaveRoom' });
}

/** The row of a record that was set aside. */
async function asideAt(partition: number, offset: string): Promise<Record<string, unknown>> {
  return waitUntil(
    `the record at ${partition}:${offset} is set aside`,
    async () => {
      const [row] = await fleet.sql(
        'SELECT reason, detail, record_key, LENGTH(record_value) AS size, headers_json ' +
          'FROM room_dead_letters WHERE partition_id = ? AND kafka_offset = ?',
        [partition, offset],
      );
      return row ?? null;
    },
    { limitMs: 20_000, everyMs: 50 },
  );
}

describe('a record that nobody could have meant', () => {
  const unknownSchema = Buffer.from([0xc3, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0]);
  const junk: readonly [
    string,
    (room: string) => Omit<Message, 'partition'>,
    string,
    number | null,
  ][] = [
    ['random bytes', () => ({ value: Buffer.from('no record at all') }), 'UNDECODABLE', 16],
    ['no value', () => ({ value: null }), 'UNDECODABLE', null],
    ['an empty value', () => ({ value: Buffer.alloc(0) }), 'UNDECODABLE', 0],
    ['a schema that nobody registered', () => ({ value: unknownSchema }), 'UNDECODABLE', 12],
    ['half a record', (room) => ({ value: goodValue(room).subarray(0, 20) }), 'UNDECODABLE', 20],
    [
      'a value that does not match its checksum',
      (room) => ({ value: goodValue(room), headers: { [headerNames.crc32c]: 'deadbeef' } }),
      'UNDECODABLE',
      goodValue('junk-5').length,
    ],
    ['900 KB', () => ({ value: Buffer.alloc(900 * 1024, 7) }), 'UNDECODABLE', 900 * 1024],
    ['no key', (room) => ({ key: null, value: goodValue(room) }), 'WRONG_PARTITION', null],
  ];

  it.each(junk.map((row, at) => [...row, at] as const))(
    '(%s) is set aside with its bytes, and the next command of its partition is answered',
    async (_what, message, reason, size, at) => {
      const room = `junk-${at}`;
      const { key, partition } = placeOf(room);
      const play = new RoomPlayer(fleet, client, room);
      await play.create('c1');
      const offset = await records.put(partition, { key, ...message(room) });
      expect((await play.join('j1', 'u1')).roomVersion).toBe(2n);
      const row = await asideAt(partition, offset);
      expect(row['reason']).toBe(reason);
      expect(row['detail']).not.toBe('');
      if (reason === 'UNDECODABLE') {
        expect(row['size'] === null ? null : Number(row['size'])).toBe(size);
      }
      expect((await logOf(fleet, room)).map(({ commandId }) => commandId)).toEqual(['c1', 'j1']);
    },
  );

  it('(a schema that nobody registered) ends the caller’s wait with a refusal, and the cell goes on (A10)', async () => {
    const room = 'foreign-schema';
    const { key, partition } = placeOf(room);
    const headers = { [headerNames.correlationId]: 'caller:1', [headerNames.replyPartition]: '7' };
    const offset = await records.put(partition, { key, value: unknownSchema, headers });
    const codec = createCodec();
    const refusalsIn = (values: readonly Buffer[]): unknown[] =>
      values.flatMap((bytes) => {
        const reply = codec.decodeReply(bytes);
        return reply.ok && reply.value.kind === 'refusal' ? [reply.value] : [];
      });
    const replies = await valuesOf(
      fleet,
      `${fleet.space.topic('room')}.replies`,
      (values) => refusalsIn(values).length > 0,
    );
    expect(refusalsIn(replies)).toMatchObject([
      { reason: 'UNDECODABLE', facts: { detail: 'unknown schema 0102030405060708' } },
    ]);
    expect((await asideAt(partition, offset))['detail']).toBe('unknown schema 0102030405060708');
    expect((await new RoomPlayer(fleet, client, room).create('c1')).roomVersion).toBe(1n);
  });

  it('(on a partition of another room) is set aside and not executed', async () => {
    const room = 'misplaced';
    const { key, partition } = placeOf(room);
    await new RoomPlayer(fleet, client, room).create('c1');
    const wrong = (partition + 1) % fleetPartitionCount;
    const offset = await records.put(wrong, { key, value: goodValue(room) });
    const row = await asideAt(wrong, offset);
    expect(row['reason']).toBe('WRONG_PARTITION');
    expect(row['detail']).toContain(String(partition));
    expect(await logOf(fleet, room)).toHaveLength(1);
  });

  it('leaves no offset behind, and is not read again by the next owner', async () => {
    const settled = async (): Promise<boolean> => {
      const rows = await fleet.sql('SELECT partition_id, applied_offset FROM partition_owner');
      const applied = new Map(
        rows.map((row) => [Number(row['partition_id']), BigInt(String(row['applied_offset']))]),
      );
      const ends = await commandOffsets(fleet);
      return ends.every(({ partition, end }) => applied.get(partition) === end - 1n);
    };
    await waitUntil('every offset is applied', settled, { limitMs: 20_000, everyMs: 100 });
    const before = await countOf(fleet, 'SELECT COUNT(*) AS n FROM room_dead_letters');
    expect(before).toBe(junk.length + 2);
    for (const started of fleet.processes) await started.kill();
    const next = await (await fleet.start('core', ['gateway', 'cell'])).ready();
    const play = new RoomPlayer(fleet, fleet.connect(next), 'junk-0');
    expect((await play.leave('l1', 'u1')).roomVersion).toBe(3n);
    expect(await countOf(fleet, 'SELECT COUNT(*) AS n FROM room_dead_letters')).toBe(before);
  });
});
