/** Where snapshots go: after the commit, best effort, newest wins (architecture section 4). */
import type { RoomKey, RoomVersion } from '../domain/ids.ts';

/** A snapshot to keep. */
export interface SnapshotRow {
  readonly roomKey: RoomKey;
  readonly version: RoomVersion;
  readonly bytes: Uint8Array;
  readonly stateHash: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly createdAtMs: number;
}

/** Throws Retry when MySQL cannot be reached. */
export interface SnapshotStore {
  /** Stores it (once per room and version) and prunes all but the room's `keep` newest. */
  save(row: SnapshotRow, keep: number): Promise<void>;
}
