/** Limits and times of a cell. Values come from the configuration; `main` checks their relations. */
import type { UserId } from '../domain/ids.ts';
import type { ImLanes } from '../domain/events/im-lanes.ts';
import type { RoomLimits, RoomTimes } from '../domain/room/decision.ts';

/** Everything is a named maximum with a defined answer when it is reached. */
export interface CellOptions {
  readonly nodeId: string;
  /** Made anew for each process; part of the fence and of the lane's lock name. */
  readonly incarnation: string;
  readonly advertiseAddr: string;
  readonly commandsTopic: string;
  readonly lane: number;
  /** Most commands in one transaction. */
  readonly batchCommandsMax: number;
  /** Most bytes of records in one transaction; far below `max_allowed_packet`. */
  readonly batchBytesMax: number;
  /** Unsettled records of one partition at which delivery pauses … */
  readonly partitionHighWater: number;
  /** … and goes on again. */
  readonly partitionLowWater: number;
  /** Bytes of unsettled records on this node at which delivery of all its partitions pauses. */
  readonly intakeBytesMax: number;
  /** Commands of one room that may wait; one more is refused with ROOM_BUSY. */
  readonly roomQueueMax: number;
  /** Rooms loaded at the same time. */
  readonly concurrentLoadsMax: number;
  /** Rooms kept in memory; idle ones leave, least recently used first. */
  readonly residentRoomsMax: number;
  /** Reads that this node answers or passes on at the same time; one more is refused. */
  readonly readsMax: number;
  /** Watches that this node serves or passes on at the same time; one more is refused. */
  readonly watchersMax: number;
  /** Those of one room. */
  readonly watchersPerRoomMax: number;
  readonly snapshotEveryN: number;
  /** Snapshots kept per room. */
  readonly snapshotsKept: number;
  readonly leaseTtlMs: number;
  /** Most time that Redis may cost one batch. */
  readonly leaseBudgetMs: number;
  readonly times: RoomTimes;
  /** How long a user may be silent before the sweep takes it out (PRES-17). */
  readonly presenceStaleAfterMs: number;
  /** The same for the mic heartbeats of a session that sends them (decision 27). */
  readonly micHeartbeatStaleAfterMs: number;
  /** Whether a mic heartbeat that says it publishes confirms its session (decision 7). */
  readonly autoConfirmOnHeartbeat: boolean;
  /** Longest time that an advanced applied offset stays unwritten, and a lost partition unnoticed. */
  readonly offsetFlushMs: number;
  /** How often due deadlines of rooms that are not in memory are looked up. */
  readonly deadlinePollMs: number;
  /** Wait for the former owner's release mark after an orderly rebalance. */
  readonly releaseMarkWaitMs: number;
  /** Pause before a lost but still assigned partition is taken over again (jittered). */
  readonly retakePauseMs: number;
  /** Most by which the wall clock may differ from the database's. */
  readonly clockOffMaxMs: number;
  /** How long a clock that was off must be right before the node comes back. */
  readonly clockRightForMs: number;
  /** How long records may wait in the log, undelivered and with nothing in the way, before the process ends. */
  readonly consumerSilentAfterMs: number;
  /** Time within which an IM message about something the snapshot repairs is still useful. */
  readonly imUsefulForMs: number;
  /** Which events' messages go by the display lane, and from which size on joins are gathered. */
  readonly imLanes: ImLanes;
  /** Multiplier, in percent, from which a draw has a display of its own; 0: none has (LUCKY-5). */
  readonly bigWinPercent: number;
  /** Types that the display lane never sends (the seeds' `suppressDirectIMEventTypes`). */
  readonly suppressedDisplays: ReadonlySet<string>;
  /** Longest single call of the wallet; far below the lease's TTL (GIFT-8). */
  readonly walletTimeoutMs: number;
  /** Time after which a charge without a certain answer counts as not made. */
  readonly chargeBudgetMs: number;
  /** Gifts of one room whose charges run at the same time, one per sender. */
  readonly chargesPerRoomMax: number;
  /** Charges of this node that run at the same time; more wait. */
  readonly chargesMax: number;
  /** Longest single call of the lucky gift service. */
  readonly luckyGiftTimeoutMs: number;
  /** Time for the prizes of one gift; those that are not paid by then are paid later. */
  readonly prizeBudgetMs: number;
  /** `lucky_gift_send_lock_ttl`: after it a sender's lock ends by itself. */
  readonly luckyGiftLockTtlMs: number;
  /** How often open settlements of the node's partitions are looked up. */
  readonly settlementPollMs: number;
  /** How often the rooms of this node are looked at for robots (ROBOT-3). */
  readonly robotScanMs: number;
  /** Rooms of this node that robots act in; one more has none. */
  readonly robotRoomsMax: number;
  /** Whether gifts of robots count for heat, rank, sums and weeks (ROBOT-5). */
  readonly robotGiftsCount: boolean;
  /** The account that pays for gifts of robots, and earns nothing by them; null: each its own. */
  readonly robotWalletAccount: UserId | null;
  readonly limits: RoomLimits;
}
