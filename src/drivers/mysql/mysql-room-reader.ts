/** Reading rooms back from MySQL. Committed data only, on pooled connections. */
import { roomKeyOf, splitRoomKey } from '../../domain/ids.ts';
import type { AppCode, CommandId, RoomId, RoomKey, RoomVersion, UserId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type {
  RoomReader,
  StoredEvents,
  StoredResult,
  StoredRoom,
  StoredSnapshot,
  StoredStep,
  SweepRoom,
} from '../../ports/room-reader.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';
import { checkedBytes, presentBytes } from './stored-bytes.ts';

/** Ids of one look-up; the port's limit. */
const idsMax = 500;
/** Snapshots that recovery may choose from; the port's limit. */
const snapshotsRead = 2;

/**
 * See the port. Beside Retry, throws Corrupt `INTERNAL` when stored bytes do not fit their checksum.
 * A snapshot's bytes are not judged here: recovery compares them with their state hash and falls back
 * to the older one.
 */
export class MysqlRoomReader implements RoomReader {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async findResults(
    ids: readonly { readonly roomKey: RoomKey; readonly commandId: CommandId }[],
  ): Promise<readonly StoredResult[]> {
    assert(ids.length <= idsMax, 'too many ids in one look-up', { ids: ids.length });
    if (ids.length === 0) return [];
    const conditions: string[] = [];
    const values: unknown[] = [];
    for (const [roomKey, commandIds] of byRoom(ids)) {
      const { appCode, roomId } = splitRoomKey(roomKey);
      conditions.push('(app_code = ? AND room_id = ? AND command_id IN (?))');
      values.push(appCode, roomId, commandIds);
    }
    const rows = await this.pool.rows(
      'looking stored results up',
      'SELECT app_code, room_id, command_id, command_type, actor_user_id, payload_hash, ' +
        'payload_hash_version, outcome, result, result_crc32c FROM room_command_log WHERE ' +
        conditions.join(' OR '),
      values,
    );
    return rows.map(storedResultOf);
  }

  async loadRoom(roomKey: RoomKey): Promise<StoredRoom> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    const facts = { table: 'rooms', app_code: appCode, room_id: roomId };
    // The row first: a snapshot written meanwhile is then at most newer than it, never missing.
    const rooms = await this.pool.rows(
      'reading a room',
      'SELECT version, chain_hash, status, owner_user_id, created_at_ms, updated_at_ms ' +
        'FROM rooms WHERE app_code = ? AND room_id = ?',
      [appCode, roomId],
    );
    const room = rooms[0];
    if (room === undefined) return { meta: null, snapshots: [] };
    const snapshots = await this.pool.rows(
      'reading the snapshots of a room',
      'SELECT version, state, state_hash, chain_hash FROM room_snapshots ' +
        `WHERE app_code = ? AND room_id = ? ORDER BY version DESC LIMIT ${snapshotsRead}`,
      [appCode, roomId],
    );
    return {
      meta: {
        version: versionOf(room['version']),
        chainHash: presentBytes(room['chain_hash'], facts),
        status: String(room['status']),
        ownerUserId: String(room['owner_user_id']) as UserId,
        createdAtMs: Number(room['created_at_ms']),
        updatedAtMs: Number(room['updated_at_ms']),
      },
      snapshots: snapshots.map((row) => storedSnapshotOf(row, appCode, roomId)),
    };
  }

  async stepsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredStep[]> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    const rows = await this.pool.rows(
      'reading the log of a room',
      'SELECT applied_version, decided_at_ms, events, events_crc32c, chain_hash ' +
        'FROM room_command_log WHERE app_code = ? AND room_id = ? AND applied_version > ? ' +
        'ORDER BY applied_version LIMIT ?',
      [appCode, roomId, afterVersion, limit],
    );
    return rows.map((row) => storedStepOf(row, appCode, roomId));
  }

  async eventsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredEvents[]> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    const steps = await this.pool.rows(
      'reading the versions of a room',
      'SELECT applied_version, decided_at_ms FROM room_command_log ' +
        'WHERE app_code = ? AND room_id = ? AND applied_version > ? ' +
        'ORDER BY applied_version LIMIT ?',
      [appCode, roomId, afterVersion, limit],
    );
    const last = steps.at(-1);
    if (last === undefined) return [];
    // A step and its events are stored together, so those of every step read above are there, unless
    // retention is at work.
    const events = await this.pool.rows(
      'reading the events of a room',
      'SELECT room_version, event_index, envelope, envelope_crc32c FROM room_events ' +
        'WHERE app_code = ? AND room_id = ? AND room_version > ? AND room_version <= ? ' +
        'ORDER BY room_version, event_index',
      [appCode, roomId, afterVersion, versionOf(last['applied_version'])],
    );
    if (!(await this.isLogged(roomKey, versionOf(steps[0]?.['applied_version'])))) return [];
    const envelopes = envelopesByVersion(events, appCode, roomId);
    return steps.map((row) => {
      const version = versionOf(row['applied_version']);
      const decidedAtMs = Number(row['decided_at_ms']);
      return { version, decidedAtMs, envelopes: envelopes.get(version) ?? [] };
    });
  }

  /**
   * Race: (1) the steps are read, the oldest of them past retention. (2) That step leaves, and its
   * events behind it. (3) The events are read: those of the step are missing, and whoever watches
   * would never hear of them. Events leave after their step, so a step that is still there had all of
   * its own; if it is gone the answer is that of a log that retention has cut. Test: "events that leave
   * while they are read are not told as none".
   */
  private async isLogged(roomKey: RoomKey, version: RoomVersion): Promise<boolean> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    const rows = await this.pool.rows(
      'looking whether a step is still there',
      'SELECT 1 FROM room_command_log WHERE app_code = ? AND room_id = ? AND applied_version = ?',
      [appCode, roomId, version],
    );
    return rows.length > 0;
  }

  async dueRooms(partition: number, nowMs: number, limit: number): Promise<readonly RoomKey[]> {
    const rows = await this.pool.rows(
      'reading due rooms',
      'SELECT app_code, room_id FROM rooms WHERE partition_id = ? AND next_deadline_ms <= ? ' +
        'ORDER BY next_deadline_ms LIMIT ?',
      [partition, nowMs, limit],
    );
    return rows.map(roomKeyIn);
  }

  async roomsToSweep(
    partition: number,
    nowMs: number,
    after: SweepRoom | null,
    limit: number,
  ): Promise<readonly SweepRoom[]> {
    const behind = after === null ? { sql: '', values: [] } : behindOf(after);
    const rows = await this.pool.rows(
      'reading rooms to sweep',
      'SELECT app_code, room_id, next_sweep_ms FROM rooms WHERE partition_id = ? ' +
        `AND next_sweep_ms <= ?${behind.sql} ORDER BY next_sweep_ms, app_code, room_id LIMIT ?`,
      [partition, nowMs, ...behind.values, limit],
    );
    return rows.map((row) => ({
      roomKey: roomKeyIn(row),
      sweepAtMs: Number(row['next_sweep_ms']),
    }));
  }
}

/** The first condition is implied by the second and there for the index to begin at. */
function behindOf({ roomKey, sweepAtMs }: SweepRoom): {
  readonly sql: string;
  readonly values: readonly unknown[];
} {
  const { appCode, roomId } = splitRoomKey(roomKey);
  return {
    sql:
      ' AND next_sweep_ms >= ? AND (next_sweep_ms > ? OR app_code > ? ' +
      'OR (app_code = ? AND room_id > ?))',
    values: [sweepAtMs, sweepAtMs, appCode, appCode, roomId],
  };
}

function byRoom(
  ids: readonly { readonly roomKey: RoomKey; readonly commandId: CommandId }[],
): ReadonlyMap<RoomKey, CommandId[]> {
  const grouped = new Map<RoomKey, CommandId[]>();
  for (const { roomKey, commandId } of ids) {
    const group = grouped.get(roomKey);
    if (group === undefined) grouped.set(roomKey, [commandId]);
    else group.push(commandId);
  }
  return grouped;
}

function storedResultOf(row: Row): StoredResult {
  const commandId = String(row['command_id']) as CommandId;
  const facts = {
    table: 'room_command_log',
    app_code: String(row['app_code']),
    room_id: String(row['room_id']),
    command_id: commandId,
  };
  return {
    roomKey: roomKeyIn(row),
    commandId,
    commandType: String(row['command_type']),
    actorUserId: String(row['actor_user_id']) as UserId,
    payloadHash: presentBytes(row['payload_hash'], facts),
    payloadHashVersion: Number(row['payload_hash_version']),
    outcome: String(row['outcome']) as StoredResult['outcome'],
    result: checkedBytes(row['result'], row['result_crc32c'], facts),
  };
}

function storedSnapshotOf(row: Row, appCode: AppCode, roomId: RoomId): StoredSnapshot {
  const version = versionOf(row['version']);
  const facts = {
    table: 'room_snapshots',
    app_code: appCode,
    room_id: roomId,
    version: version.toString(),
  };
  return {
    version,
    bytes: presentBytes(row['state'], facts),
    stateHash: presentBytes(row['state_hash'], facts),
    chainHash: presentBytes(row['chain_hash'], facts),
  };
}

function storedStepOf(row: Row, appCode: AppCode, roomId: RoomId): StoredStep {
  const version = versionOf(row['applied_version']);
  const facts = {
    table: 'room_command_log',
    app_code: appCode,
    room_id: roomId,
    version: version.toString(),
  };
  return {
    version,
    decidedAtMs: Number(row['decided_at_ms']),
    events: checkedBytes(row['events'], row['events_crc32c'], facts),
    chainHash: presentBytes(row['chain_hash'], facts),
  };
}

function envelopesByVersion(
  rows: readonly Row[],
  appCode: AppCode,
  roomId: RoomId,
): ReadonlyMap<RoomVersion, Uint8Array[]> {
  const byVersion = new Map<RoomVersion, Uint8Array[]>();
  for (const row of rows) {
    const version = versionOf(row['room_version']);
    const facts = {
      table: 'room_events',
      app_code: appCode,
      room_id: roomId,
      version: version.toString(),
      event_index: String(row['event_index']),
    };
    const envelope = checkedBytes(row['envelope'], row['envelope_crc32c'], facts);
    byVersion.set(version, [...(byVersion.get(version) ?? []), envelope]);
  }
  return byVersion;
}

function roomKeyIn(row: Row): RoomKey {
  return roomKeyOf(String(row['app_code']) as AppCode, String(row['room_id']) as RoomId);
}

function versionOf(value: unknown): RoomVersion {
  return BigInt(String(value)) as RoomVersion;
}
