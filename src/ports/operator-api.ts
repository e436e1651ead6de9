/**
 * What the gateway offers to operators alone. Texts and numbers come as they arrived, unchecked; every
 * method throws a Failure of the catalogue, and PERMISSION_DENIED to every other role before anything
 * is produced or written.
 */
import type { LoggedCommand } from './operator-store.ts';
import type { PartitionStopState, StoppedPartition } from './partition-stops.ts';
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
  /** When the owner row was last written, by its writer's clock; 0: never. */
  readonly lastProgressAtMs: number;
  /** Null: it does not stand still. */
  readonly stop: StoppedPartition | null;
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
}
