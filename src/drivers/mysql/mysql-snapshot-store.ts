/** Snapshots in MySQL. Written after the commit they show, and pruned in the same call. */
import { splitRoomKey } from '../../domain/ids.ts';
import type { SnapshotRow, SnapshotStore } from '../../ports/snapshot-store.ts';
import { assert } from '../../kernel/assert.ts';
import { toFailure, toMysqlError } from './mysql-errors.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession } from './session.ts';

/** See the port. A snapshot above the server's packet limit is refused as Reject `DATA_REFUSED`. */
export class MysqlSnapshotStore implements SnapshotStore {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async save(row: SnapshotRow, keep: number): Promise<void> {
    assert(keep >= 1, 'a room keeps at least one snapshot', { keep });
    try {
      await this.pool.withSession(async (session) => {
        await insert(session, row);
        await prune(session, row, keep);
      });
    } catch (thrown) {
      throw toFailure(thrown, 'saving a snapshot');
    }
  }
}

/**
 * Only for a room that exists and has reached the version. Scenario 1: a snapshot of a batch whose
 * COMMIT turned out not to have happened would be recovered from as if it had. Scenario 2: a slow
 * snapshot of a room deleted meanwhile would stand there for ever; recovery does not look at it. The
 * row is read without a lock, which commits of the room would have to wait for: a deletion that
 * commits in the same moment may leave one. Tests: "a snapshot ahead of its room …", "a late snapshot
 * of a deleted room …".
 */
async function insert(session: MysqlSession, row: SnapshotRow): Promise<void> {
  const { appCode, roomId } = splitRoomKey(row.roomKey);
  try {
    await session.run(
      'INSERT INTO room_snapshots (app_code, room_id, version, state, state_hash, chain_hash, ' +
        'created_at_ms) SELECT app_code, room_id, ?, ?, ?, ?, ? FROM rooms ' +
        "WHERE app_code = ? AND room_id = ? AND version >= ? AND status <> 'deleted'",
      [
        row.version,
        row.bytes,
        row.stateHash,
        row.chainHash,
        row.createdAtMs,
        appCode,
        roomId,
        row.version,
      ],
    );
  } catch (thrown) {
    // Stored once per room and version: the one there shows the same state.
    if (toMysqlError(thrown).sort !== 'duplicate') throw thrown;
  }
}

async function prune(session: MysqlSession, row: SnapshotRow, keep: number): Promise<void> {
  const { appCode, roomId } = splitRoomKey(row.roomKey);
  const rows = await session.rows(
    'SELECT version FROM room_snapshots WHERE app_code = ? AND room_id = ? ' +
      'ORDER BY version DESC LIMIT 1 OFFSET ?',
    [appCode, roomId, keep],
  );
  const newestToGo = rows[0]?.['version'];
  if (newestToGo === undefined) return;
  await session.run(
    'DELETE FROM room_snapshots WHERE app_code = ? AND room_id = ? AND version <= ?',
    [appCode, roomId, BigInt(String(newestToGo))],
  );
}
