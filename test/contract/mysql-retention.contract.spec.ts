/** The contract of retention on MySQL, and what MySQL alone can show: how many rows a page looks at. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf, type AppCode, type RoomId, type RoomVersion } from '../../src/domain/ids.ts';
import type { MysqlDrivers, createMysqlDrivers } from '../../src/drivers/mysql/mysql-drivers.ts';
import { MysqlRoomReader } from '../../src/drivers/mysql/mysql-room-reader.ts';
import { crc32c } from '../../src/protocol/crc32c.ts';
import { openMysqlSpace, type MysqlSpace } from '../support/mysql-space.ts';
import { retentionStoreContract } from './suites/retention-store-contract.ts';

retentionStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const { drivers } = space;
  return {
    retention: drivers.retentionStore,
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    outbox: drivers.outboxStore,
    replays: drivers.replayStore,
    operators: drivers.operatorStore,
    settlements: drivers.settlementStore,
    openLane: (incarnation) => drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

/** Rows of each table; more would only take longer: what counts is that a page looks at few of them. */
const stored = 20_000;
const pageRows = 50;
/** A page, the look for its owner rows, and what is removed of it. */
const looksMax = 8 * pageRows;
const beforeMs = 1_000;

describe('a page of retention in large tables', () => {
  let space: MysqlSpace;
  const roomKey = roomKeyOf('big' as AppCode, 'r1' as RoomId);

  beforeAll(async () => {
    space = await openMysqlSpace();
    const { sql } = space;
    const log =
      "SELECT 'big', 'r1', CONCAT('c', seq), 'JoinRoom', 'u', '', 1, " +
      "IF(seq % 2, 'applied', 'rejected'), IF(seq % 2, seq, NULL), seq, ?, 'r', 0, NULL, NULL, " +
      "NULL, 't.commands', 0, seq, 1, 'n', '1.1' FROM numbers";
    await sql('CREATE TABLE numbers (seq INT PRIMARY KEY)');
    const values = Array.from({ length: stored }, (_, at) => [at + 1]);
    for (let at = 0; at < stored; at += 5_000) {
      await sql('INSERT INTO numbers VALUES ?', [values.slice(at, at + 5_000)]);
    }
    await sql(`INSERT INTO room_command_log ${log}`, [beforeMs + 1]);
    await sql(
      "INSERT INTO room_events SELECT 'big', 'r1', seq, 0, CONCAT('e', seq), 'RoomUserJoined', 1, " +
        "'e', 0 FROM numbers",
    );
    await sql(
      'INSERT INTO room_outbox (event_id, app_code, room_id, room_version, event_index, ' +
        'event_type, destination, shard, status, created_at_ms, finished_at_ms) ' +
        "SELECT CONCAT('e', seq), 'big', 'r1', seq, 0, 'RoomUserJoined', 'im', seq % 16, " +
        "'delivered', ?, ? FROM numbers",
      [beforeMs + 1, beforeMs + 1],
    );
    await space.drivers.partitionStore.takeover({
      ...{ partition: 0, nodeId: 'n', incarnation: 'one', lane: 0, advertiseAddr: '10.0.0.1:7000' },
    });
    await sql('UPDATE partition_owner SET applied_offset = ?', [stored]);
    await sql('ANALYZE TABLE room_command_log, room_events, room_outbox');
  });
  afterAll(() => space.close());

  /** Rows that the engine was asked for while `work` ran, on the one connection of its own. */
  const looked = async (
    work: (store: ReturnType<typeof createMysqlDrivers>['retentionStore']) => Promise<unknown>,
  ): Promise<number> => {
    const drivers = space.moreDrivers({ pool: { connections: 1 } });
    const read = async (): Promise<number> => {
      const rows = await drivers.pool.rows('counting', "SHOW SESSION STATUS LIKE 'Handler_read%'");
      return rows.reduce((sum, row) => sum + Number(row['Value']), 0);
    };
    await drivers.retentionStore.nextLoggedRoom(null);
    const before = await read();
    await work(drivers.retentionStore);
    return (await read()) - before;
  };

  it('looks at a page of rows, whatever the tables hold', async () => {
    const version = 1_000n as RoomVersion;
    expect(await looked((store) => store.nextLoggedRoom(null))).toBeLessThan(looksMax);
    expect(await looked((store) => store.nextLoggedRoom(roomKey))).toBeLessThan(looksMax);
    expect(await looked((store) => store.nextRoomWithEvents(roomKey))).toBeLessThan(looksMax);
    const walks = [
      await looked((store) => store.removeDelivered(beforeMs, 0n, pageRows)),
      await looked((store) => store.removeDelivered(beforeMs + 2, 10_000n, pageRows)),
      await looked((store) => store.oldSteps(roomKey, beforeMs, pageRows)),
      await looked((store) => store.removeSteps(roomKey, version, beforeMs + 2, pageRows)),
      await looked((store) => store.removeUnapplied(beforeMs, null, pageRows)),
      await looked((store) =>
        store.removeUnapplied(beforeMs + 2, { partition: 0, offset: 9_000n }, pageRows),
      ),
      await looked((store) => store.removeEvents(roomKey, null, pageRows)),
      await looked((store) => store.removeSettlements(beforeMs, '', pageRows)),
      await looked((store) => store.removeAudit(beforeMs, pageRows)),
    ];
    for (const rows of walks) expect(rows).toBeLessThan(looksMax);
  });
});

it('events that leave while they are read are not told as none', async () => {
  const space = await openMysqlSpace();
  const { drivers, sql } = space;
  await sql(
    "INSERT INTO room_command_log SELECT 'app', 'r1', CONCAT('c', v), 'JoinRoom', 'u', '', 1, " +
      "'applied', v, v, 1, 'r', 0, NULL, NULL, NULL, 't.commands', 0, NULL, 1, 'n', '1.1' " +
      'FROM (SELECT 1 AS v UNION SELECT 2) AS versions',
  );
  await sql(
    "INSERT INTO room_events VALUES ('app', 'r1', 1, 0, 'e1', 'RoomUserJoined', 1, 'e', ?), " +
      "('app', 'r1', 2, 0, 'e2', 'RoomUserJoined', 1, 'e', ?)",
    [crc32c(Buffer.from('e')), crc32c(Buffer.from('e'))],
  );
  const place = roomKeyOf('app' as AppCode, 'r1' as RoomId);
  const leave = async (): Promise<void> => {
    await drivers.retentionStore.removeSteps(place, 1n as RoomVersion, beforeMs, 10);
    await drivers.retentionStore.removeEvents(place, null, 10);
  };
  let isLate = false;
  const pool: Pick<MysqlDrivers['pool'], 'rows'> = {
    async rows(what, ...statement) {
      const rows = await drivers.pool.rows(what, ...statement);
      if (isLate && what === 'reading the versions of a room') await leave();
      return rows;
    },
  };
  const reader = new MysqlRoomReader(pool as MysqlDrivers['pool']);
  const told = async (): Promise<readonly (readonly [bigint, number])[]> => {
    const steps = await reader.eventsAfter(place, 0n as RoomVersion, 10);
    return steps.map(({ version, envelopes }) => [version, envelopes.length]);
  };
  expect(await told()).toEqual([
    [1n, 1],
    [2n, 1],
  ]);
  isLate = true;
  expect(await told()).toEqual([]);
  await space.close();
});
