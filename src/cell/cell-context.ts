/** The ports and settings that every part of a cell is given. Nothing here is reached for globally. */
import type { AppCode, RoomKey } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandSink } from '../ports/command-sink.ts';
import type { CommandSource } from '../ports/command-source.ts';
import type { CommitLane } from '../ports/commit-lane.ts';
import type { DisplaySink } from '../ports/display-sink.ts';
import type { GiftCatalogue } from '../ports/gift-catalogue.ts';
import type { LeaseDirectory } from '../ports/lease-directory.ts';
import type { Log } from '../ports/log.ts';
import type { LuckyGiftClient } from '../ports/lucky-gift-client.ts';
import type { LuckyGiftSendLocker } from '../ports/lucky-gift-send-locker.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { NodeRegistry } from '../ports/node-registry.ts';
import type { OwnerReadsPeers } from '../ports/owner-reads.ts';
import type { PartitionStore } from '../ports/partition-store.ts';
import type { PartitionStops } from '../ports/partition-stops.ts';
import type { Random } from '../ports/random.ts';
import type { ReplySink } from '../ports/reply-sink.ts';
import type { RobotPool } from '../ports/robot-pool.ts';
import type { RocketRulesStore } from '../ports/rocket-rules-store.ts';
import type { RocketLaunchScheduler } from '../ports/rocket-scheduler.ts';
import type { RoomReader } from '../ports/room-reader.ts';
import type { RtcUserRemover } from '../ports/rtc-user-remover.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';
import type { SettlementStore } from '../ports/settlement-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { Timers } from '../ports/timers.ts';
import type { Trace } from '../ports/trace.ts';
import type { Wake } from '../ports/wake.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { Codec } from '../protocol/codec-api.ts';
import type { CellOptions } from './cell-options.ts';
import type { RtcAtOnce } from './rtc-at-once.ts';

/** Shared by all parts of one cell. */
export interface CellContext {
  readonly options: CellOptions;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
  readonly codec: Codec;
  readonly schemas: SchemaRegistry;
  readonly source: CommandSource;
  readonly replies: ReplySink;
  readonly leases: LeaseDirectory;
  readonly partitions: PartitionStore;
  readonly stops: PartitionStops;
  readonly nodes: NodeRegistry;
  readonly rooms: RoomReader;
  readonly snapshots: SnapshotStore;
  readonly lane: CommitLane;
  /** Where displays leave after COMMIT. */
  readonly displays: DisplaySink;
  readonly wake: Wake;
  /** Told when this node has given partitions up, and heard when others have. Losing all is safe. */
  readonly handOver: Wake;
  readonly wallet: Wallet;
  readonly catalogue: GiftCatalogue;
  /** How each app's rocket works. */
  readonly rocketRules: RocketRulesStore;
  readonly settlements: SettlementStore;
  /** Absent: lucky gifts are not enabled (NEW-11). */
  readonly luckyGifts?: LuckyGiftClient;
  /** Absent: lucky gifts of one user are not kept in order (NEW-11). */
  readonly luckyLocks?: LuckyGiftSendLocker;
  /** The reads of other nodes, for calls that meet the wrong one. */
  readonly peers: OwnerReadsPeers;
  /** Who takes users out of RTC rooms, by app; an app without one has nobody (NEW-11). */
  readonly rtcRemovers: ReadonlyMap<AppCode, RtcUserRemover>;
  /** Given by the cell to its own parts. */
  readonly rtcAtOnce?: Pick<RtcAtOnce, 'committed'>;
  /**
   * Told when something begins and ends to wait for a store, so that readiness can say so although
   * no transaction meets the outage. Given by the cell to its own parts.
   */
  readonly onOutage?: (what: string, isOut: boolean) => void;
  /** Wake-ups for rockets; without it they launch by their rooms' own deadlines alone. */
  readonly rocketScheduler?: RocketLaunchScheduler;
  /** Absent: this cell plays no robots (NEW-11). `sink` is the commands topic. */
  readonly robots?: { readonly pool: RobotPool; readonly sink: Pick<CommandSink, 'produce'> };
  /** Told after a COMMIT which rooms it changed. Never waits; without it nobody copies the list. */
  readonly listChanged?: (roomKeys: readonly RoomKey[]) => void;
  /**
   * Told after a COMMIT in which rooms something was given, and at which time the log keeps it. Never
   * waits; without it there are no boards (NEW-11).
   */
  readonly giftsStored?: (
    rooms: readonly { readonly roomKey: RoomKey; readonly givenAtMs: number }[],
  ) => void;
  /**
   * The level up to which commands are executed and events written, by `protocol/schema-levels.ts`.
   * Given by the cell to its own parts; without it, this release's own.
   */
  readonly enabledLevel?: () => number;
  /** Reads the level now; throws a Retry failure when it cannot be read. Given like `enabledLevel`. */
  readonly lookAtLevel?: () => Promise<void>;
}
