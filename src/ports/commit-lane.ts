/**
 * One connection to MySQL through which a node commits what all its partitions have ready, as one
 * transaction in two round trips (architecture section 4). The driver knows SQL and sorts errors;
 * what to do about each outcome is the cell's.
 */
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomKey,
  RoomVersion,
  UserId,
} from '../domain/ids.ts';
import type { RoomStatus } from '../domain/room/state.ts';
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';
import type { Destination } from '../protocol/topics.ts';

/** Compare-and-set of one partition's owner row. Part of every transaction, ascending. */
export interface FenceStep {
  readonly partition: number;
  readonly epoch: bigint;
  readonly incarnation: string;
  /** `commitSeq` before this transaction; the step raises it by one. */
  readonly commitSeq: bigint;
  /** New value; may equal the old one. Never smaller. */
  readonly appliedOffset: bigint;
  /** When the record at `appliedOffset` was appended, by the broker; null: not known. */
  readonly appliedRecordMs: number | null;
  /** Offsets above `appliedOffset` refused without a log row in this batch. */
  readonly settledOffsets: readonly bigint[];
}

/** One finally decided command. */
export interface LogRow {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly commandType: string;
  readonly actorUserId: UserId;
  readonly payloadHash: Uint8Array;
  readonly payloadHashVersion: number;
  readonly outcome: 'applied' | 'no_effect' | 'rejected';
  /** Set for applied ones only; unique per room. */
  readonly appliedVersion: RoomVersion | null;
  readonly decidedVersion: RoomVersion;
  readonly decidedAtMs: number;
  /** Encoded ResultRecord. */
  readonly result: Uint8Array;
  /** Encoded LoggedEvents; null unless applied. */
  readonly events: Uint8Array | null;
  /** h(v); null unless applied. */
  readonly chainHash: Uint8Array | null;
  readonly partition: number;
  /** Null for system commands, which have no record. */
  readonly kafkaOffset: bigint | null;
  readonly epoch: bigint;
  readonly ownerNodeId: string;
  readonly leaseToken: string;
}

/** One event's envelope, stored once. */
export interface EventRow {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly roomVersion: RoomVersion;
  readonly eventIndex: number;
  readonly eventId: EventId;
  readonly eventType: string;
  readonly occurredAtMs: number;
  readonly envelope: Uint8Array;
  /** One outbox row each, in this order. */
  readonly destinations: readonly Destination[];
  /** For destination `im`: after this time the message is useless to clients. Null: never. */
  readonly usefulUntilMs: number | null;
}

/**
 * The `rooms` row and list entry of a room that got applied commands in this batch. With status
 * `deleted` the row stays as a tombstone; its list entry, its snapshots and what is left of its rows
 * of present users go with the same transaction (ROOM-18, RES-29).
 */
export interface RoomMetaRow {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly partition: number;
  /** 0n: the row is inserted. Otherwise compare-and-set from this version. */
  readonly previousVersion: RoomVersion;
  readonly version: RoomVersion;
  readonly status: Exclude<RoomStatus, 'absent'>;
  readonly ownerUserId: UserId;
  readonly title: string;
  readonly coverUrl: string;
  readonly seatCount: number;
  readonly mode: string;
  readonly visibleRegionId: bigint;
  readonly locked: boolean;
  readonly passwordHash: string;
  readonly passwordVersion: bigint;
  readonly tags: readonly string[];
  readonly onlineCount: number;
  /** Coins of all committed gifts (decision 13); the list is ordered by its logarithm. */
  readonly heat: bigint;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly nextDeadlineMs: number | null;
  /** When a room that is not in memory is to be looked at for stale users; null: nobody can be. */
  readonly nextSweepMs: number | null;
  readonly chainHash: Uint8Array;
  /** JSON of the close info, or null while open. */
  readonly closeInfoJson: string | null;
}

/** A record that was set aside, with everything an operator needs to judge and replay it. */
export interface DeadLetterRow {
  readonly topic: string;
  readonly partition: number;
  readonly kafkaOffset: bigint;
  readonly reason: string;
  readonly detail: string;
  readonly recordKey: Uint8Array | null;
  readonly recordValue: Uint8Array | null;
  readonly headersJson: string;
  readonly recordTimeMs: number;
  readonly createdAtMs: number;
}

/** A prize of a committed lucky gift that the wallet has not acknowledged yet (LUCKY-3). */
export interface OpenPrize {
  /** Key of the debit that it was won with. */
  readonly debitKey: string;
  readonly coins: bigint;
  readonly drawId: string;
}

/**
 * A gift that ended otherwise than applied after its payment may have been asked for: its debit key
 * is voided until the wallet acknowledges (architecture section 4). A second row under a key that
 * has one changes nothing.
 */
export interface SettlementRow {
  /** 64 hex digits: of the debit to void, or of the prize to pay. */
  readonly debitKey: string;
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly payerUserId: UserId;
  readonly partition: number;
  /** Reason code with which the gift ended; `PRIZE_PENDING` for a prize. */
  readonly reason: string;
  readonly createdAtMs: number;
  /** Null: a debit to void. */
  readonly prize: OpenPrize | null;
}

/** What a batch adds to one user's gift statistics in one room (RES-34). At most one row per user. */
export interface GiftStatRow {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly userId: UserId;
  readonly sentCoins: bigint;
  readonly sentCount: bigint;
  readonly receivedCoins: bigint;
  readonly receivedCount: bigint;
  readonly updatedAtMs: number;
}

/** What a batch adds to what was given in one room on one day (LB-4). At most one row per day. */
export interface RoomDayRow {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  /** Of the time at which the log keeps the command, in UTC: `2026-11-30` (LB-3). */
  readonly utcDay: string;
  readonly coins: bigint;
  readonly giftCount: bigint;
  readonly updatedAtMs: number;
}

/** What a batch adds to what was given in one room in one week (RES-35). At most one row per week. */
export interface RoomWeekRow {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  /** Of the time at which the log keeps the command, in UTC: `2026-W49` (LB-3). */
  readonly isoWeek: string;
  readonly coins: bigint;
  readonly giftCount: bigint;
  readonly updatedAtMs: number;
}

/** A sender's part in that (RES-33). At most one row per week and user. */
export interface UserWeekRow extends RoomWeekRow {
  readonly userId: UserId;
}

/** How the users present in one room change with a batch (decision 30). */
export interface UserRoomsChange {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  /** Everybody who was present before the batch is gone: the room closed. */
  readonly everybodyLeft: boolean;
  /** No longer present after the batch; nobody stands in both lists. */
  readonly left: readonly UserId[];
  /** Present since this batch. A row that is there already takes the new time. */
  readonly joined: readonly { readonly userId: UserId; readonly joinedAtMs: number }[];
}

/** What one transaction writes. */
export interface LaneBatch {
  readonly fences: readonly FenceStep[];
  readonly logRows: readonly LogRow[];
  readonly eventRows: readonly EventRow[];
  readonly roomRows: readonly RoomMetaRow[];
  /** At most one per room. */
  readonly userRooms: readonly UserRoomsChange[];
  readonly deadLetters: readonly DeadLetterRow[];
  readonly settlements: readonly SettlementRow[];
  readonly giftStats: readonly GiftStatRow[];
  readonly roomDays: readonly RoomDayRow[];
  readonly roomWeeks: readonly RoomWeekRow[];
  readonly userWeeks: readonly UserWeekRow[];
  /** Rooms without an applied command here: their stored version must equal this one. */
  readonly versionChecks: readonly { readonly roomKey: RoomKey; readonly version: RoomVersion }[];
}

/**
 * How a transaction ended. Everything but `committed` and `unknown` means: rolled back, nothing of
 * the batch is stored.
 */
export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** The gate said no after the first packet. */
  | { readonly kind: 'stopped' }
  /** A compare-and-set touched 0 rows: these partitions are no longer ours. */
  | { readonly kind: 'fenced'; readonly partitions: readonly number[] }
  /** 1205 while waiting for a fence row: somebody holds it (a takeover, a frozen owner). */
  | { readonly kind: 'fenceBusy'; readonly partitions: readonly number[] }
  /** Memory and database differ about these rooms: drop and reload them. */
  | { readonly kind: 'staleRooms'; readonly roomKeys: readonly RoomKey[] }
  /** 1213, or 1205 elsewhere: the whole transaction may be tried again. */
  | { readonly kind: 'conflict'; readonly cause: string }
  /** 1062 on (app, room, command id): look the ids up and decide those rooms again. */
  | { readonly kind: 'duplicateCommand'; readonly cause: string }
  /** The database refuses the data itself: find the command that carries it. */
  | { readonly kind: 'dataError'; readonly cause: string }
  /** MySQL refused for a reason that is not the data's (read only, disk full, no connection). */
  | { readonly kind: 'unavailable'; readonly cause: string }
  | UnknownOutcome;

/** Asked between the first packet's answer and COMMIT; false ends the transaction. */
export type CommitGate = Promise<boolean>;

/** How an unknown COMMIT really ended. */
export type SettledCommit =
  | { readonly kind: 'committed' }
  | { readonly kind: 'absent' }
  /** For these partitions a successor owns the row; of the rest the kind is `rest`. */
  | {
      readonly kind: 'fenced';
      readonly partitions: readonly number[];
      readonly rest: 'committed' | 'absent';
    };

/** One lane. Calls are serial: the caller waits for one before the next. */
export interface CommitLane {
  /** Commits the batch as one transaction. Never throws. Re-connects by itself before a batch. */
  commit(batch: LaneBatch, gate: CommitGate): Promise<CommitOutcome>;
  /**
   * After `unknown`: on a new connection ends the old one, locks the batch's fence rows (so that a
   * COMMIT still running is over) and reads how it ended. Throws Retry while MySQL is out of reach.
   */
  settle(batch: LaneBatch): Promise<SettledCommit>;
  stop(): Promise<void>;
}
