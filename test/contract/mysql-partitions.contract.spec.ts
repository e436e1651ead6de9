/** The partition contracts on MySQL. */
import type { Row } from '../../src/drivers/mysql/session.ts';
import type { DeadLetterRow } from '../../src/ports/commit-lane.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import { commitLaneContract } from './suites/commit-lane-contract.ts';
import { commitLaneRowsContract } from './suites/commit-lane-rows-contract.ts';
import {
  partitionStoreContract,
  type PartitionStoreFixture,
} from './suites/partition-store-contract.ts';
import { stalledTakeoversContract } from './suites/stalled-takeovers-contract.ts';

partitionStoreContract('MySQL', openPartitions);
stalledTakeoversContract('MySQL', openPartitions);

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
