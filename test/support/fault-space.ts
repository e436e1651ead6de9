/**
 * A database whose bad days a test can bring about: rows held by others, connections cut and ended,
 * a server that is frozen or away. What suites of faults need of the real server and of its twin.
 */
import type { RoomKey } from '../../src/domain/ids.ts';
import type { CommitLane } from '../../src/ports/commit-lane.ts';
import type { PartitionStore } from '../../src/ports/partition-store.ts';
import type { RoomReader } from '../../src/ports/room-reader.ts';

/** Limits of a lane that a test shortens or lengthens. The gate's is a minute unless said. */
export interface FaultLaneLimits {
  readonly packetMs?: number;
  readonly commitMs?: number;
  readonly gateMs?: number;
}

/** Rows that are waited for. */
export type RowKind = 'ownerRow' | 'roomRow' | 'logRow';

/** A transaction of somebody else. */
export interface Rival {
  /** Waits for the row and holds it until `end`. */
  holdOwner(partition: number): Promise<void>;
  holdRoom(roomKey: RoomKey): Promise<void>;
  /** Rolls back. */
  end(): Promise<void>;
}

/** See the file header. `store` and `reader` are for times in which the server answers. */
export interface FaultSpace {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  openLane(incarnation: string, limits?: FaultLaneLimits): CommitLane;
  /** A lane for which the server has no connection until `makeRoom`. */
  openFullLane(
    incarnation: string,
  ): Promise<{ readonly lane: CommitLane; makeRoom(): Promise<void> }>;
  /** `isHeavy`: it has changed more than any lane, so that a deadlock has the lane for victim. */
  openRival(options?: { readonly isHeavy?: boolean }): Promise<Rival>;
  /** Loses the next COMMIT of the lane, or its answer; resolves when it is lost. */
  loseCommit(lane: CommitLane, what: 'request' | 'answer'): Promise<void>;
  /** Cuts the connection of a lane that is idle. */
  cutIdle(incarnation: string): Promise<void>;
  /** KILLs the lane's connection. */
  kill(incarnation: string): Promise<void>;
  /** From now on the lanes get no answer; what they send waits until `thaw`. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Cuts the lanes and refuses them until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Waits until a lane's transaction on the partition is open and its first packet answered. */
  isOpenOn(partition: number): Promise<void>;
  /** Waits until a transaction waits for a row of this kind. */
  somebodyWaitsFor(kind: RowKind): Promise<void>;
  /** Lets time pass until the promise ends. */
  ended<T>(promise: Promise<T>): Promise<T>;
  /** Time as it passes for whoever waits; for durations. */
  nowMs(): number;
  /** Name of the connection that the lane has now; null: none. */
  connectionOf(incarnation: string): Promise<string | null>;
  /** A store that waits no longer than this for a row that is held. */
  openStore(heldRowMs: number): PartitionStore;
  /** Ends rivals, thaws, comes back: nothing of a test meets the next one. */
  heal(): Promise<void>;
  close(): Promise<void>;
}
