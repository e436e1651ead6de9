/** Memory twins of the readers of rooms: recovery, repeats, due deadlines, snapshots. */
import { roomKeyOf, type CommandId, type RoomKey, type RoomVersion } from '../../domain/ids.ts';
import type { LogRow } from '../../ports/commit-lane.ts';
import type { RoomReader, StoredResult } from '../../ports/room-reader.ts';
import type { SnapshotRow, SnapshotStore } from '../../ports/snapshot-store.ts';
import type { StoredRoom, StoredStep } from '../../protocol/room-history.ts';
import { logKey, type MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemoryRoomReader implements RoomReader {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  findResults(
    ids: readonly { readonly roomKey: RoomKey; readonly commandId: CommandId }[],
  ): Promise<readonly StoredResult[]> {
    const rows = ids
      .map(({ roomKey, commandId }) => this.database.log.get(logKey(roomKey, commandId)))
      .filter((row) => row !== undefined);
    return Promise.resolve(rows.map(resultOf));
  }

  loadRoom(roomKey: RoomKey): Promise<StoredRoom> {
    const row = this.database.rooms.get(roomKey);
    if (row === undefined) return Promise.resolve({ meta: null, snapshots: [] });
    const { version, chainHash, status } = row;
    const snapshots = this.database.snapshots.get(roomKey) ?? [];
    return Promise.resolve({
      meta: { version, chainHash, status },
      snapshots: snapshots.slice(0, 2),
    });
  }

  stepsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredStep[]> {
    const steps = this.database
      .applied(roomKey)
      .filter(({ appliedVersion }) => (appliedVersion ?? 0n) > afterVersion);
    return Promise.resolve(steps.slice(0, limit).map(stepOf));
  }

  dueRooms(partition: number, nowMs: number, limit: number): Promise<readonly RoomKey[]> {
    const due = [...this.database.rooms.values()]
      .filter((row) => row.partition === partition)
      .filter(({ nextDeadlineMs }) => nextDeadlineMs !== null && nextDeadlineMs <= nowMs)
      .sort((left, right) => (left.nextDeadlineMs ?? 0) - (right.nextDeadlineMs ?? 0));
    return Promise.resolve(
      due.slice(0, limit).map(({ appCode, roomId }) => roomKeyOf(appCode, roomId)),
    );
  }
}

/** Keeps snapshots newest first. */
export class MemorySnapshotStore implements SnapshotStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  save(row: SnapshotRow, keep: number): Promise<void> {
    const others = (this.database.snapshots.get(row.roomKey) ?? []).filter(
      ({ version }) => version !== row.version,
    );
    const kept = [row, ...others].sort((left, right) => (left.version > right.version ? -1 : 1));
    this.database.snapshots.set(row.roomKey, kept.slice(0, keep));
    return Promise.resolve();
  }
}

function resultOf(row: LogRow): StoredResult {
  const { appCode, roomId, commandId, commandType, actorUserId } = row;
  const { payloadHash, payloadHashVersion, outcome, result } = row;
  return {
    roomKey: roomKeyOf(appCode, roomId),
    commandId,
    commandType,
    actorUserId,
    payloadHash,
    payloadHashVersion,
    outcome,
    result,
  };
}

function stepOf(row: LogRow): StoredStep {
  return {
    version: row.appliedVersion ?? (0n as RoomVersion),
    decidedAtMs: row.decidedAtMs,
    events: row.events ?? new Uint8Array(),
    chainHash: row.chainHash ?? new Uint8Array(),
  };
}
