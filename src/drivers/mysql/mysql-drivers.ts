/**
 * All ports that stand on MySQL, made from one set of settings. `main` calls this once per process;
 * tests call it once per database.
 */
import type { BoardSums } from '../../ports/board-sums.ts';
import type { CommitLane } from '../../ports/commit-lane.ts';
import type { GiftCatalogue } from '../../ports/gift-catalogue.ts';
import type { NodeRegistry } from '../../ports/node-registry.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import type { BlockingDestinations, OutboxStore } from '../../ports/outbox-store.ts';
import type { PartitionStore } from '../../ports/partition-store.ts';
import type { PartitionStops } from '../../ports/partition-stops.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import type { RetentionStore } from '../../ports/retention-store.ts';
import type { ReplySlots } from '../../ports/reply-slots.ts';
import type { RobotPool } from '../../ports/robot-pool.ts';
import type { RocketRulesStore } from '../../ports/rocket-rules-store.ts';
import type { RoomQueries } from '../../ports/room-queries.ts';
import type { RoomReader } from '../../ports/room-reader.ts';
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import type { SettlementStore } from '../../ports/settlement-store.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import {
  defaultPoolLimits,
  laneSession,
  outboxSession,
  pooledSession,
  takeoverPoolLimits,
  takeoverSession,
} from './connection-settings.ts';
import type { MysqlServerSettings, PoolLimits, SessionLimits } from './connection-settings.ts';
import { checkDurability } from './durability-check.ts';
import type { DurabilityFinding } from './durability-check.ts';
import { MysqlBoardSums } from './mysql-board-sums.ts';
import { MysqlCommitLane } from './mysql-commit-lane.ts';
import { MysqlGiftCatalogue } from './mysql-gift-catalogue.ts';
import { MysqlRobotPool } from './mysql-robot-pool.ts';
import { MysqlRocketRules } from './mysql-rocket-rules.ts';
import { MysqlNodeRegistry } from './mysql-node-registry.ts';
import { NodeLocks } from './node-locks.ts';
import { MysqlOperatorStore } from './mysql-operator-store.ts';
import { MysqlPartitionStore } from './mysql-partition-store.ts';
import { MysqlPartitionStops } from './mysql-partition-stops.ts';
import { MysqlReplayStore } from './mysql-replay-store.ts';
import { MysqlRetentionStore } from './mysql-retention-store.ts';
import { MysqlReplySlots } from './mysql-reply-slots.ts';
import { MysqlRoomQueries } from './mysql-room-queries.ts';
import { MysqlRoomReader } from './mysql-room-reader.ts';
import { MysqlSchemaRegistry } from './mysql-schema-registry.ts';
import { MysqlSettlementStore } from './mysql-settlement-store.ts';
import { MysqlSnapshotStore } from './mysql-snapshot-store.ts';
import { createOutboxStore } from './outbox-store.ts';
import { MysqlPool } from './pool.ts';

/** What the drivers need to know. */
export interface MysqlSettings {
  readonly server: MysqlServerSettings;
  /** Names of the topics whose partitions have rows here. */
  readonly commandsTopic: string;
  readonly repliesTopic: string;
  /** Limits of the shared pool; the rest of `defaultPoolLimits` and `pooledSession`. */
  readonly pool?: Partial<PoolLimits>;
  readonly session?: Partial<SessionLimits>;
  /** How long a takeover waits for a held row. Default: twice the lane's `silentSeconds`. */
  readonly takeoverHeldRowMs?: number;
  /** Destinations whose failed rows hold the later ones back. Default: none. */
  readonly blocking?: BlockingDestinations;
}

/** One lane of this process. Everything but the identity has a default. */
export interface LaneOptions {
  /** Of this process, new at every start; the same that takeovers name. */
  readonly incarnation: string;
  readonly lane: number;
  /** For the answer to the first packet. Default 3 s. */
  readonly packetMs?: number;
  /** For the answer to COMMIT. Default 3 s. */
  readonly commitMs?: number;
  /** For the gate. Default 1 s. */
  readonly gateMs?: number;
  /** Pace of an idle lane's word to the server. Default: a third of `silentSeconds`. */
  readonly keepAliveMs?: number;
  readonly session?: Partial<SessionLimits>;
}

/** The ports, and what `main` needs beside them. */
export interface MysqlDrivers {
  readonly partitionStore: PartitionStore;
  readonly partitionStops: PartitionStops;
  readonly nodeRegistry: NodeRegistry;
  readonly roomReader: RoomReader;
  readonly snapshotStore: SnapshotStore;
  readonly roomQueries: RoomQueries;
  readonly replySlots: ReplySlots;
  readonly schemaRegistry: SchemaRegistry;
  readonly outboxStore: OutboxStore;
  readonly giftCatalogue: GiftCatalogue;
  readonly rocketRules: RocketRulesStore;
  readonly boardSums: BoardSums;
  readonly robotPool: RobotPool;
  readonly settlementStore: SettlementStore;
  readonly operatorStore: OperatorStore;
  readonly replayStore: ReplayStore;
  readonly retentionStore: RetentionStore;
  /** For further drivers on the same database. */
  readonly pool: MysqlPool;
  /** A lane; connects when it first has something to commit. Stop it before `close`. */
  openLane(options: LaneOptions): CommitLane;
  /** Settings of the server that put committed data at risk; none is well. */
  checkDurability(): Promise<readonly DurabilityFinding[]>;
  /** Ends the pools. Lanes are stopped by their owners. */
  close(): Promise<void>;
}

/** Makes the drivers. Connects to nothing yet: the first call does. */
export function createMysqlDrivers(settings: MysqlSettings): MysqlDrivers {
  const { server, commandsTopic } = settings;
  const session = { ...pooledSession, ...settings.session };
  const limits = { ...defaultPoolLimits, ...settings.pool };
  const pool = new MysqlPool(server, session, limits);
  const takeovers = new MysqlPool(
    server,
    { ...session, lockWaitSeconds: takeoverSession.lockWaitSeconds },
    takeoverPoolLimits,
  );
  const outbox = new MysqlPool(
    server,
    { ...session, multipleStatements: outboxSession.multipleStatements },
    limits,
  );
  const nodeLocks = new NodeLocks(pool, server);
  return {
    partitionStore: new MysqlPartitionStore(pool, takeovers, {
      topic: commandsTopic,
      database: server.database,
      heldRowMs: settings.takeoverHeldRowMs ?? laneSession.silentSeconds * 2_000,
    }),
    partitionStops: new MysqlPartitionStops(pool, commandsTopic),
    nodeRegistry: new MysqlNodeRegistry(pool, nodeLocks, commandsTopic),
    roomReader: new MysqlRoomReader(pool),
    snapshotStore: new MysqlSnapshotStore(pool),
    roomQueries: new MysqlRoomQueries(pool),
    replySlots: new MysqlReplySlots(pool, settings.repliesTopic),
    schemaRegistry: new MysqlSchemaRegistry(pool),
    outboxStore: createOutboxStore(outbox, settings.blocking),
    giftCatalogue: new MysqlGiftCatalogue(pool),
    boardSums: new MysqlBoardSums(pool),
    rocketRules: new MysqlRocketRules(pool),
    robotPool: new MysqlRobotPool(pool),
    settlementStore: new MysqlSettlementStore(pool, commandsTopic),
    operatorStore: new MysqlOperatorStore(pool, commandsTopic),
    replayStore: new MysqlReplayStore(pool, commandsTopic),
    retentionStore: new MysqlRetentionStore(pool, commandsTopic),
    pool,
    openLane: (options) => openLane(settings, options),
    checkDurability: () => checkDurability(pool),
    close: async () => {
      await Promise.all([pool.close(), takeovers.close(), outbox.close(), nodeLocks.close()]);
    },
  };
}

function openLane(settings: MysqlSettings, options: LaneOptions): CommitLane {
  const session = { ...laneSession, ...options.session, multipleStatements: true };
  return new MysqlCommitLane(settings.server, {
    topic: settings.commandsTopic,
    incarnation: options.incarnation,
    lane: options.lane,
    packetMs: options.packetMs ?? 3_000,
    commitMs: options.commitMs ?? 3_000,
    gateMs: options.gateMs ?? 1_000,
    keepAliveMs: options.keepAliveMs ?? Math.floor((session.silentSeconds * 1_000) / 3),
    session,
  });
}
