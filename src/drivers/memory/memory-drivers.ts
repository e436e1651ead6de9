/** All ports that stand on MySQL, made over one memory database: the twin of `mysql-drivers.ts`. */
import type { BlockingDestinations } from '../../ports/outbox-store.ts';
import { MemoryBoardSums } from './memory-board-sums.ts';
import { MemoryCommitLane, type MemoryLaneSettings } from './memory-commit-lane.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { MemoryGiftCatalogue } from './memory-gift-catalogue.ts';
import { MemoryNodeRegistry } from './memory-node-registry.ts';
import { MemoryOperatorStore } from './memory-operator-store.ts';
import { MemoryOutboxStore } from './memory-outbox-store.ts';
import { MemoryPartitionStore } from './memory-partition-store.ts';
import { MemoryPartitionStops } from './memory-partition-stops.ts';
import { MemoryReplayStore } from './memory-replay-store.ts';
import { MemoryRetentionStore } from './memory-retention-store.ts';
import { MemoryReplySlots } from './memory-reply-slots.ts';
import { MemoryRobotPool } from './memory-robot-pool.ts';
import { MemoryRocketRules } from './memory-rocket-rules.ts';
import { MemoryRoomQueries } from './memory-room-queries.ts';
import { MemoryRoomReader } from './memory-room-reader.ts';
import { MemorySchemaRegistry } from './memory-schema-registry.ts';
import { MemorySettlementStore } from './memory-settlement-store.ts';
import { MemorySnapshotStore } from './memory-snapshot-store.ts';

/** The ports of one process. */
export interface MemoryDrivers {
  readonly partitionStore: MemoryPartitionStore;
  readonly partitionStops: MemoryPartitionStops;
  readonly nodeRegistry: MemoryNodeRegistry;
  readonly roomReader: MemoryRoomReader;
  readonly snapshotStore: MemorySnapshotStore;
  readonly roomQueries: MemoryRoomQueries;
  readonly replySlots: MemoryReplySlots;
  readonly schemaRegistry: MemorySchemaRegistry;
  readonly outboxStore: MemoryOutboxStore;
  readonly giftCatalogue: MemoryGiftCatalogue;
  readonly rocketRules: MemoryRocketRules;
  readonly boardSums: MemoryBoardSums;
  readonly robotPool: MemoryRobotPool;
  readonly settlementStore: MemorySettlementStore;
  readonly operatorStore: MemoryOperatorStore;
  readonly replayStore: MemoryReplayStore;
  readonly retentionStore: MemoryRetentionStore;
  openLane(settings: MemoryLaneSettings): MemoryCommitLane;
}

/**
 * Makes the ports; call it once per process that is to share the database. `blocking`: destinations
 * whose failed rows hold the later ones back.
 */
export function createMemoryDrivers(
  database: MemoryDatabase,
  blocking: BlockingDestinations = [],
): MemoryDrivers {
  return {
    partitionStore: new MemoryPartitionStore(database),
    partitionStops: new MemoryPartitionStops(database),
    nodeRegistry: new MemoryNodeRegistry(database),
    roomReader: new MemoryRoomReader(database),
    snapshotStore: new MemorySnapshotStore(database),
    roomQueries: new MemoryRoomQueries(database),
    replySlots: new MemoryReplySlots(database),
    schemaRegistry: new MemorySchemaRegistry(database),
    outboxStore: new MemoryOutboxStore(database, blocking),
    giftCatalogue: new MemoryGiftCatalogue(database),
    boardSums: new MemoryBoardSums(database),
    rocketRules: new MemoryRocketRules(database),
    robotPool: new MemoryRobotPool(database),
    settlementStore: new MemorySettlementStore(database),
    operatorStore: new MemoryOperatorStore(database),
    replayStore: new MemoryReplayStore(database),
    retentionStore: new MemoryRetentionStore(database),
    openLane: (settings) => new MemoryCommitLane(database, settings),
  };
}
