/**
 * What the gateway offers to operators alone. Texts and numbers come as they arrived, unchecked; every
 * method throws a Failure of the catalogue, and PERMISSION_DENIED to every other role before anything
 * is produced or written.
 */
import type { RocketRules } from '../domain/rocket/rocket-rules.ts';
import type { CatalogueGift } from './gift-catalogue.ts';
import type { LoggedCommand } from './operator-store.ts';
import type { PartitionStopState, StoppedPartition } from './partition-stops.ts';
import type { DeadLetter, RecordPlace, ReviewedRow } from './replay-store.ts';
import type { CallFrame } from './room-api.ts';
import type { PageRequest, RoomPlace } from './room-read-api.ts';

/** The head of everything that operators change. */
export interface OperatorMeta {
  readonly appCode: string;
  /** Unique within the app; a repeat does what is left to do of the first call, and nothing twice. */
  readonly commandId: string;
  /** '' where the token says who it is. */
  readonly actorUserId: string;
}

/** What became of an eviction. */
export interface Eviction {
  /** Whether a ban by the platform keeps the user out now. */
  readonly banned: boolean;
  /** Rooms in which the user was and is no more. */
  readonly roomsEvicted: readonly string[];
  /** Rooms of which nobody knows in time that the user is out: the same call again finds them. */
  readonly roomsUnknown: readonly string[];
}

/** What a room looks like when it is rebuilt in two ways. */
export interface RoomVerification {
  readonly equal: boolean;
  /** The first difference in words; '' when there is none. */
  readonly difference: string;
  /** The version that was compared. */
  readonly roomVersion: bigint;
  /** Of the snapshot; 0 when the room has none. */
  readonly snapshotVersion: bigint;
  /** 0: the log is whole. Otherwise the snapshot that stands for what left by retention. */
  readonly logFromVersion: bigint;
  /** Hexadecimal state hashes; '' when a way led to no state. */
  readonly stateHashOfLog: string;
  readonly stateHashOfSnapshot: string;
}

/** A partition as operators see it. */
export interface PartitionView {
  readonly partition: number;
  /** That of a stop, or `OWNED`, `RELEASED` (given up, not yet taken over), `UNOWNED` (never had). */
  readonly state: PartitionStopState | 'OWNED' | 'RELEASED' | 'UNOWNED';
  readonly epoch: bigint;
  readonly ownerNodeId: string;
  readonly advertiseAddr: string;
  /** −1n: nothing. */
  readonly appliedOffset: bigint;
  /** Records behind it; null: the brokers do not say. */
  readonly lag: bigint | null;
  /** Records that its owner has read and not settled, a moment ago; null: the owner does not live. */
  readonly queue: number | null;
  /** When the owner row was last written, by its writer's clock; 0: never. */
  readonly lastProgressAtMs: number;
  /** Null: it does not stand still. */
  readonly stop: StoppedPartition | null;
}

/** Which rows of an app's outbox are meant; '' and 0 stand for any. */
export interface OutboxChoice {
  readonly appCode: string;
  readonly roomId: string;
  readonly eventId: string;
  readonly destination: string;
  readonly eventType: string;
  readonly createdBeforeMs: bigint;
}

/** A record that was set aside, and the command in it; null: nobody can read one there. */
export interface DeadLetterView extends DeadLetter {
  readonly command: {
    readonly appCode: string;
    readonly roomId: string;
    readonly commandId: string;
    readonly type: string;
  } | null;
}

/** A gift as an operator wants it sold. */
export interface GiftRequest {
  readonly giftId: string;
  readonly coinPrice: bigint;
  readonly onSale: boolean;
  readonly lucky: boolean;
}

/** Rocket rules as an operator wants them; words and numbers are unchecked. */
export interface RocketRulesRequest extends Omit<
  RocketRules,
  'rulesVersion' | 'reset' | 'overflow'
> {
  /** round or day; '': round. */
  readonly reset: string;
  /** carry or cap; '': carry. */
  readonly overflow: string;
}

/** See the file header. */
export interface OperatorApi {
  /** `roomId` '': a ban by the platform, and then every room of the app. A room: that one, no ban. */
  evictUser(
    frame: CallFrame,
    request: OperatorMeta & {
      readonly userId: string;
      readonly roomId: string;
      readonly reason: string;
      /** When the ban ends; 0: when it is lifted. */
      readonly expiresAtMs: bigint;
    },
  ): Promise<Eviction>;
  liftPlatformBan(
    frame: CallFrame,
    request: OperatorMeta & { readonly userId: string; readonly reason: string },
  ): Promise<void>;
  pinRoom(
    frame: CallFrame,
    request: OperatorMeta & { readonly roomId: string; readonly pinned: boolean },
  ): Promise<void>;
  /** Applied commands, newest first; with `unapplied` those that changed nothing, by command id. */
  getRoomHistory(
    frame: CallFrame,
    page: RoomPlace & PageRequest & { readonly unapplied: boolean },
  ): Promise<{ readonly commands: readonly LoggedCommand[]; readonly nextCursor: string }>;
  verifyRoom(frame: CallFrame, place: RoomPlace): Promise<RoomVerification>;
  /** All partitions, by id. For operators of the deployment alone, whose app `appCode` names. */
  listPartitions(
    frame: CallFrame,
    request: { readonly appCode: string },
  ): Promise<readonly PartitionView[]>;
  /**
   * Says how a partition that stands still goes on; its owner does it within seconds. Throws
   * PARTITION_RUNS when nothing of the kind stands there. For operators of the deployment alone.
   */
  acceptState(
    frame: CallFrame,
    request: OperatorMeta & {
      readonly partition: number;
      /** GAP, TOPIC_CHANGED or DB_REWOUND, as the list shows it. */
      readonly state: string;
      /** As the list shows it: a word about an older stop is about nothing. */
      readonly expectedOffset: bigint;
      /** skip, restart, resume or replay. */
      readonly choice: string;
      /** With replay: the last offset that is executed however old it is. */
      readonly replayUntil: bigint;
    },
  ): Promise<void>;
  /** Rows of the app's outbox in one state, oldest first. `status` '': failed. */
  listOutbox(
    frame: CallFrame,
    page: OutboxChoice & PageRequest & { readonly status: string },
  ): Promise<{ readonly rows: readonly ReviewedRow[]; readonly nextCursor: string }>;
  /**
   * Lets the oldest failed rows that fit begin anew, at most `limit` (0: 100, 1,000 at most), and
   * answers how many; the same call again answers the same number. With `dryRun` nothing is written.
   */
  replayOutbox(
    frame: CallFrame,
    request: OperatorMeta & OutboxChoice & { readonly limit: number; readonly dryRun: boolean },
  ): Promise<number>;
  /**
   * Gives the oldest failed rows that fit up, with limit, answer and `dryRun` as above: they leave the
   * outbox unsent, and rows that waited behind them go on.
   */
  dismissOutbox(
    frame: CallFrame,
    request: OperatorMeta & OutboxChoice & { readonly limit: number; readonly dryRun: boolean },
  ): Promise<number>;
  /** Records of the commands topic that were set aside. For operators of the deployment alone. */
  listDeadLetters(
    frame: CallFrame,
    page: { readonly appCode: string } & PageRequest,
  ): Promise<{ readonly letters: readonly DeadLetterView[]; readonly nextCursor: string }>;
  /**
   * Appends the record to its partition again, for nobody who waits, and answers its new offset. A
   * repeat may append it twice; whoever executes it knows its command by the id. Throws
   * NO_DEAD_LETTER. For operators of the deployment alone.
   */
  replayDeadLetter(frame: CallFrame, request: OperatorMeta & RecordPlace): Promise<bigint>;
  /**
   * Has a cell give everything up, as a SIGTERM would, within seconds; its process stays and owns nothing
   * until it is replaced. Throws NODE_UNKNOWN. For operators of the deployment alone.
   */
  drainNode(frame: CallFrame, request: OperatorMeta & { readonly nodeId: string }): Promise<void>;
  /** Newest versions of the app's gifts, on sale or not, by gift id. */
  listGifts(
    frame: CallFrame,
    page: { readonly appCode: string } & PageRequest,
  ): Promise<{ readonly gifts: readonly CatalogueGift[]; readonly nextCursor: string }>;
  /**
   * Makes the next version of a gift and answers it; the same call again answers the version that it
   * made. Debits that know an older version stay at that price.
   */
  setGift(
    frame: CallFrame,
    request: OperatorMeta & { readonly gift: GiftRequest },
  ): Promise<CatalogueGift>;
  /** The newest rules of the app's rockets; null: it never had any. */
  getRocketRules(
    frame: CallFrame,
    request: { readonly appCode: string },
  ): Promise<RocketRules | null>;
  /** Makes the next version of the rules and answers it; the same call again answers the same one. */
  setRocketRules(
    frame: CallFrame,
    request: OperatorMeta & { readonly rules: RocketRulesRequest },
  ): Promise<RocketRules>;
}
