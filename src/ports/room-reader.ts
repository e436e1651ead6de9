/**
 * Reading rooms back: idempotency look-ups, recovery and due deadlines. Reads committed data on
 * pooled connections; never calls anything outside MySQL (LEASE-33).
 */
import type { CommandId, RoomKey, RoomVersion, UserId } from '../domain/ids.ts';
import type { RoomHistory } from '../protocol/room-history.ts';

export type { StoredRoom, StoredSnapshot, StoredStep } from '../protocol/room-history.ts';

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

/** A room that somebody has to look at for stale users, and from when on. */
export interface SweepRoom {
  readonly roomKey: RoomKey;
  readonly sweepAtMs: number;
}

/** The events of one applied command, as other systems get them. */
export interface StoredEvents {
  readonly version: RoomVersion;
  readonly decidedAtMs: number;
  /** Encoded envelopes, by index; none when their rows have left by retention. */
  readonly envelopes: readonly Uint8Array[];
}

/** All methods throw a Retry failure when MySQL cannot be reached. */
export interface RoomReader extends RoomHistory {
  /** The stored results of the ids that have one; order is free. At most 500 ids a call. */
  findResults(
    ids: readonly { readonly roomKey: RoomKey; readonly commandId: CommandId }[],
  ): Promise<readonly StoredResult[]>;
  /**
   * What happened above `afterVersion`: the steps of the log, ascending, at most `limit`, each with
   * all its events. A log that retention has cut begins at a later version than the next.
   */
  eventsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredEvents[]>;
  /** Rooms of a partition whose earliest deadline is at or before `nowMs`, earliest first. */
  dueRooms(partition: number, nowMs: number, limit: number): Promise<readonly RoomKey[]>;
  /**
   * Rooms of a partition whose `nextSweepMs` is at or before `nowMs`, by that time and then by key,
   * beginning behind `after`; null: at the beginning.
   */
  roomsToSweep(
    partition: number,
    nowMs: number,
    after: SweepRoom | null,
    limit: number,
  ): Promise<readonly SweepRoom[]>;
}
