/**
 * The tables of roomcell in memory: what the memory twins of the MySQL ports share, as several
 * nodes share one database. Nothing survives the process. Transactions are atomic because they run
 * without an await between first check and last write.
 */
import type { CommandId, RoomKey, RoomVersion } from '../../domain/ids.ts';
import type { DeadLetterRow, EventRow, LogRow, RoomMetaRow } from '../../ports/commit-lane.ts';
import type { OwnerRow, TopicLayout } from '../../ports/partition-store.ts';
import type { SnapshotRow } from '../../ports/snapshot-store.ts';

/** An owner row that can be changed in place. */
export type OwnerRecord = { -readonly [K in keyof OwnerRow]: OwnerRow[K] };

/** See the file header. */
export class MemoryDatabase {
  readonly layouts = new Map<string, TopicLayout>();
  readonly owners = new Map<number, OwnerRecord>();
  /** Settled offsets above the applied one, by partition. */
  readonly settled = new Map<number, Set<bigint>>();
  readonly log = new Map<string, LogRow>();
  readonly rooms = new Map<RoomKey, RoomMetaRow>();
  readonly events: EventRow[] = [];
  readonly deadLetters: DeadLetterRow[] = [];
  readonly snapshots = new Map<RoomKey, SnapshotRow[]>();
  readonly schemas = new Map<string, string>();

  /** Applied rows of one room, in version order. */
  applied(roomKey: RoomKey): LogRow[] {
    return [...this.log.values()]
      .filter((row) => `${row.appCode}\0${row.roomId}` === roomKey && row.appliedVersion !== null)
      .sort((left, right) => (versionOf(left) < versionOf(right) ? -1 : 1));
  }
}

/** Key of a log row: app, room and command id together (PIPE-17). */
export function logKey(roomKey: RoomKey, commandId: CommandId): string {
  return `${roomKey}\0${commandId}`;
}

function versionOf(row: LogRow): RoomVersion {
  return row.appliedVersion ?? (0n as RoomVersion);
}
