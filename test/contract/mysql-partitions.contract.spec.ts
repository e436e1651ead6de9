/** The partition contracts on MySQL. */
import { splitRoomKey, type RoomKey } from '../../src/domain/ids.ts';
import type { Row } from '../../src/drivers/mysql/session.ts';
import type { DeadLetterRow } from '../../src/ports/commit-lane.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import { commitLaneContract } from './suites/commit-lane-contract.ts';
import { commitLaneRoomsContract } from './suites/commit-lane-rooms-contract.ts';
import { commitLaneRowsContract } from './suites/commit-lane-rows-contract.ts';
import {
  partitionStoreContract,
  type PartitionStoreFixture,
} from './suites/partition-store-contract.ts';
import { partitionStopsContract } from './suites/partition-stops-contract.ts';
import { stalledTakeoversContract } from './suites/stalled-takeovers-contract.ts';

partitionStoreContract('MySQL', openPartitions);
stalledTakeoversContract('MySQL', openPartitions);

partitionStopsContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    stops: space.drivers.partitionStops,
    operators: space.drivers.operatorStore,
    store: space.drivers.partitionStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

commitLaneContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    reader: space.drivers.roomReader,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

commitLaneRowsContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    reader: space.drivers.roomReader,
    outbox: space.drivers.outboxStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    deadLetters: async (partition) => {
      const rows = await space.sql(
        'SELECT * FROM room_dead_letters WHERE partition_id = ? ORDER BY kafka_offset',
        [partition],
      );
      return rows.map(deadLetterIn);
    },
    close: () => space.close(),
  };
});

commitLaneRoomsContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const rowsOf = async (sql: string, roomKey: RoomKey): Promise<readonly Row[]> => {
    const { appCode, roomId } = splitRoomKey(roomKey);
    return space.sql(sql, [appCode, roomId]);
  };
  return {
    store: space.drivers.partitionStore,
    reader: space.drivers.roomReader,
    snapshots: space.drivers.snapshotStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    presentUsers: async (roomKey) => {
      const rows = await rowsOf(
        'SELECT user_id, joined_at_ms FROM user_rooms WHERE app_code = ? AND room_id = ? ' +
          'ORDER BY user_id',
        roomKey,
      );
      return rows.map((row) => [String(row['user_id']), Number(row['joined_at_ms'])] as const);
    },
    listedStatus: async (roomKey) => {
      const rows = await rowsOf(
        'SELECT status FROM room_list_entries WHERE app_code = ? AND room_id = ?',
        roomKey,
      );
      const status = rows[0]?.['status'];
      return status === undefined ? null : String(status);
    },
    close: () => space.close(),
  };
});

async function openPartitions(): Promise<PartitionStoreFixture> {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
}

function deadLetterIn(row: Row): DeadLetterRow {
  return {
    topic: String(row['topic']),
    partition: Number(row['partition_id']),
    kafkaOffset: BigInt(String(row['kafka_offset'])),
    reason: String(row['reason']),
    detail: String(row['detail']),
    recordKey: row['record_key'] as Uint8Array | null,
    recordValue: row['record_value'] as Uint8Array | null,
    headersJson: String(row['headers_json']),
    recordTimeMs: Number(row['record_time_ms']),
    createdAtMs: Number(row['created_at_ms']),
  };
}
