/**
 * Everything that roles take from technology and that may be exchanged as a whole: the log with its
 * sinks and sources, the tables, leases and wake hints. Wiring knows this interface alone; which set
 * a process stands on says the key `drivers`.
 */
import type { DriverPorts } from '../drivers/driver-ports.ts';
import type { TopicPlan, TopicReport } from '../drivers/log-client/topic-plan.ts';
import type { BoardSums } from '../ports/board-sums.ts';
import type { CommandSink } from '../ports/command-sink.ts';
import type { CommandSource } from '../ports/command-source.ts';
import type { CommitLane } from '../ports/commit-lane.ts';
import type { DisplaySink } from '../ports/display-sink.ts';
import type { DisplaySource } from '../ports/display-source.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { EventSource } from '../ports/event-source.ts';
import type { GiftCatalogue } from '../ports/gift-catalogue.ts';
import type { LeaseDirectory } from '../ports/lease-directory.ts';
import type { LuckyGiftSendLocker } from '../ports/lucky-gift-send-locker.ts';
import type { NodeRegistry } from '../ports/node-registry.ts';
import type { OwnerReads, OwnerReadsPeers, OwnerReadsServer } from '../ports/owner-reads.ts';
import type { OwnerWatches } from '../ports/room-watch.ts';
import type { OperatorStore } from '../ports/operator-store.ts';
import type { OutboxStore } from '../ports/outbox-store.ts';
import type { PartitionStore } from '../ports/partition-store.ts';
import type { PartitionStops } from '../ports/partition-stops.ts';
import type { ReplySink } from '../ports/reply-sink.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import type { RetentionStore } from '../ports/retention-store.ts';
import type { ReplySlots } from '../ports/reply-slots.ts';
import type { ReplySource } from '../ports/reply-source.ts';
import type { RobotPool } from '../ports/robot-pool.ts';
import type { RocketRulesStore } from '../ports/rocket-rules-store.ts';
import type { RocketLaunchScheduler } from '../ports/rocket-scheduler.ts';
import type { RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import type { RoomListCache } from '../ports/room-list-cache.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import type { RoomReader } from '../ports/room-reader.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';
import type { SettlementStore } from '../ports/settlement-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { Wake } from '../ports/wake.ts';
import type { Destination, TopicNames } from '../protocol/topics.ts';
import type { RoomcellConfig } from './config/config-schema.ts';

/** See the file header. Nothing connects before it is used; `ports` carry the log of the role. */
export interface DriverSet {
  /** What everybody must know who starts a process on these drivers; null: nothing. */
  readonly warning: string | null;
  readonly stores: Stores;
  readonly wake: Wake;
  readonly foundation: FoundationDrivers;
  commandSink(ports: DriverPorts): CommandSink;
  commandSource(partitionCount: number, ports: DriverPorts): CommandSource;
  replySink(ports: DriverPorts): ReplySink;
  /** A new one for each reply slot that is held; `reader` is a name that no other reader has. */
  replySource(reader: string, ports: DriverPorts): ReplySource;
  eventSink(destination: Destination, ports: DriverPorts): EventSink;
  /** Reads the destination's topic in the destination's group. */
  eventSource(destination: Destination, ports: DriverPorts): EventSource;
  displaySink(ports: DriverPorts): DisplaySink;
  displaySource(ports: DriverPorts): DisplaySource;
  leaseDirectory(ports: DriverPorts): LeaseDirectory;
  /** The copy of the room list; whoever asks for it stops it. */
  roomListCache(ports: DriverPorts): RoomListCache;
  /** The boards over rooms; whoever asks for them stops them. */
  roomGiftLeaderboard(ports: DriverPorts): RoomGiftLeaderboard;
  /** Wake-ups for rockets whose countdown is over; whoever asks for it stops it. */
  rocketScheduler(ports: DriverPorts): RocketLaunchScheduler;
  /** The reads of other nodes; whoever asks for them stops them. */
  readsPeers(ports: DriverPorts): OwnerReadsPeers;
  /** Hints between cells that partitions were given up; whoever asks for them stops them. */
  handOver(ports: DriverPorts): Wake & { stop(): Promise<void> };
  /** Locks of users who send lucky gifts; whoever asks for them stops them. */
  luckyGiftLocks(ports: DriverPorts): LuckyGiftSendLocker;
  /** Serves this node's reads to others, at `advertise_addr`. */
  readsServer(reads: OwnerReads & OwnerWatches, ports: DriverPorts): OwnerReadsServer;
  /** Lets everything shared go, after every role has stopped. */
  close(): Promise<void>;
}

/** The tables, shared by the roles of a process. */
export interface Stores {
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
  /** A lane of this process; whoever opens it stops it, before `close`. */
  openLane(options: { readonly incarnation: string; readonly lane: number }): CommitLane;
}

/** What lays the ground on which roles stand. Retry failures mean: away, ask again. */
export interface FoundationDrivers {
  /** Brings the tables up to date; answers the names of what was applied. */
  migrate(): Promise<readonly string[]>;
  /** A sentence for each reason why what was committed may be lost; none is well. */
  durabilityFaults(): Promise<readonly string[]>;
  /** Creates missing topics. Waits for an absent broker until `signal` aborts. */
  ensureTopics(plan: TopicPlan, signal: AbortSignal): Promise<TopicReport>;
}

/** What a set is made of. */
export interface DriverSetParts {
  readonly config: RoomcellConfig;
  readonly nodeId: string;
  readonly incarnation: string;
  readonly topics: TopicNames;
  /** With the log of the process. */
  readonly ports: DriverPorts;
}
