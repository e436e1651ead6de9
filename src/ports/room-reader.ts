/**
 * Reading rooms back: idempotency look-ups, recovery and due deadlines. Reads committed data on
 * pooled connections; never calls anything outside MySQL (LEASE-33).
 */
import type { CommandId, RoomKey, RoomVersion, UserId } from '../domain/ids.ts';

/** The part of a log row that answers a repeated command. */
export interface StoredResult {
  readonly roomKey: RoomKey;
  readonly commandId: CommandId;
  readonly commandType: string;
  readonly actorUserId: UserId;
  readonly payloadHash: Uint8Array;
  readonly payloadHashVersion: number;
  readonly outcome: 'applied' | 'no_effect' | 'rejected';
  readonly result: Uint8Array;
}

/** One applied step of the log. */
export interface StoredStep {
  readonly version: RoomVersion;
  readonly decidedAtMs: number;
  readonly events: Uint8Array;
  readonly chainHash: Uint8Array;
}

/** A stored snapshot. `stateHash` is SHA-256 of `bytes`. */
export interface StoredSnapshot {
  readonly version: RoomVersion;
  readonly bytes: Uint8Array;
  readonly stateHash: Uint8Array;
  /** h(version): where the chain goes on. */
  readonly chainHash: Uint8Array;
}

/** What recovery starts from. Null `meta` means: no such room was ever committed. */
export interface StoredRoom {
  readonly meta: {
    readonly version: RoomVersion;
    readonly chainHash: Uint8Array;
    readonly status: string;
  } | null;
  /** Newest first, at most two. */
  readonly snapshots: readonly StoredSnapshot[];
}

/** All methods throw a Retry failure when MySQL cannot be reached. */
export interface RoomReader {
  /** The stored results of the ids that have one; order is free. At most 500 ids a call. */
  findResults(
    ids: readonly { readonly roomKey: RoomKey; readonly commandId: CommandId }[],
  ): Promise<readonly StoredResult[]>;
  loadRoom(roomKey: RoomKey): Promise<StoredRoom>;
  /** Applied steps with a version above `afterVersion`, ascending, at most `limit`. */
  stepsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredStep[]>;
  /** Rooms of a partition whose earliest deadline is at or before `nowMs`, earliest first. */
  dueRooms(partition: number, nowMs: number, limit: number): Promise<readonly RoomKey[]>;
}
