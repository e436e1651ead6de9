/** Memory twin of the snapshot store. Keeps a room's snapshots newest first. */
import { assert } from '../../kernel/assert.ts';
import type { SnapshotRow, SnapshotStore } from '../../ports/snapshot-store.ts';
import { put, type MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemorySnapshotStore implements SnapshotStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async save(row: SnapshotRow, keep: number): Promise<void> {
    assert(keep >= 1, 'a room keeps at least one snapshot', { keep });
    await this.database.server.call('snapshots', 'saving a snapshot', 'write', () => {
      const { snapshots } = this.database;
      const stored = snapshots.get(row.roomKey) ?? [];
      const isThere = stored.some(({ version }) => version === row.version);
      const all = isThere || !this.hasReached(row) ? stored : [...stored, row];
      const newestFirst = [...all].sort((one, other) => (one.version > other.version ? -1 : 1));
      this.database.commit([put(snapshots, row.roomKey, newestFirst.slice(0, keep))]);
    });
  }

  /**
   * Only for a room that exists and has reached the version: a snapshot of a COMMIT that never
   * happened, or of a room deleted meanwhile, would be recovered from.
   */
  private hasReached(row: SnapshotRow): boolean {
    const room = this.database.rooms.get(row.roomKey);
    return room !== undefined && room.version >= row.version && room.status !== 'deleted';
  }
}
