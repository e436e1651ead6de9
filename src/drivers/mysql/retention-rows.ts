/**
 * Rows that retention looks at in a room's log, and which of them may go. Everything is read without
 * a lock and removed by primary key: owner rows and the newest rows of a log are what commits write,
 * and must not wait for somebody who tidies up.
 */
import type { AppCode, CommandId, RoomId, RoomKey, RoomVersion } from '../../domain/ids.ts';
import { roomKeyOf, splitRoomKey } from '../../domain/ids.ts';
import type { RecordPlace } from '../../ports/replay-store.ts';
import { text } from './outbox-rows.ts';
import type { MysqlSession, Row } from './session.ts';

/** A row of the log, as far as its age and its record are concerned. */
export interface AgedRow {
  readonly commandId: CommandId;
  /** Null: the command changed nothing. */
  readonly version: RoomVersion | null;
  readonly decidedAtMs: number;
  /** Its record is settled for good, or it came from no record. */
  readonly isSettled: boolean;
}

/** A row with its record. */
export interface RecordedRow extends AgedRow {
  readonly roomKey: RoomKey;
  readonly offset: bigint;
}

const columns =
  'command_id, applied_version, decided_at_ms, topic, partition_id, kafka_offset, epoch';

/** The oldest steps of a room up to `upTo` (null: all), oldest first. */
export async function readSteps(
  session: MysqlSession,
  roomKey: RoomKey,
  upTo: RoomVersion | null,
  limit: number,
): Promise<readonly AgedRow[]> {
  const { appCode, roomId } = splitRoomKey(roomKey);
  const rows = await session.rows(
    `SELECT ${columns} FROM room_command_log FORCE INDEX (one_writer_per_version) ` +
      'WHERE app_code = ? AND room_id = ? AND applied_version > 0 ' +
      `${upTo === null ? '' : 'AND applied_version <= ? '}ORDER BY applied_version LIMIT ?`,
    [appCode, roomId, ...(upTo === null ? [] : [upTo]), limit],
  );
  return aged(session, rows);
}

/** Rows of a partition of `topic` behind a record, in the order of their records. */
export async function readRecords(
  session: MysqlSession,
  topic: string,
  after: RecordPlace,
  limit: number,
): Promise<readonly RecordedRow[]> {
  const rows = await session.rows(
    `SELECT app_code, room_id, ${columns} FROM room_command_log FORCE INDEX (by_offset) ` +
      'WHERE topic = ? AND partition_id = ? AND kafka_offset > ? ORDER BY kafka_offset LIMIT ?',
    [topic, after.partition, after.offset, limit],
  );
  const found = await aged(session, rows);
  return found.map((row, at) => ({
    ...row,
    roomKey: roomKeyOf(
      text(rows[at]?.['app_code']) as AppCode,
      text(rows[at]?.['room_id']) as RoomId,
    ),
    offset: BigInt(text(rows[at]?.['kafka_offset'])),
  }));
}

/** Removes rows of one room's log. */
export async function removeRows(
  session: MysqlSession,
  roomKey: RoomKey,
  rows: readonly Pick<AgedRow, 'commandId'>[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const { appCode, roomId } = splitRoomKey(roomKey);
  const { affected } = await session.run(
    'DELETE FROM room_command_log WHERE app_code = ? AND room_id = ? AND command_id IN (?)',
    [appCode, roomId, rows.map(({ commandId }) => commandId)],
  );
  return affected;
}

async function aged(session: MysqlSession, rows: readonly Row[]): Promise<readonly AgedRow[]> {
  const owners = await ownersOf(session, rows);
  return rows.map((row) => ({
    commandId: text(row['command_id']) as CommandId,
    version:
      row['applied_version'] === null
        ? null
        : (BigInt(text(row['applied_version'])) as RoomVersion),
    decidedAtMs: Number(row['decided_at_ms']),
    isSettled: isSettled(row, owners.get(placeOf(row))),
  }));
}

/**
 * Scenario: (1) a partition stands still for longer than retention, its applied offset at 10. (2)
 * Offset 11 was decided before and has a row. (3) The row leaves. (4) A takeover finds no mark of 11
 * and executes the record again. Rows above the applied offset therefore stay, whatever their age;
 * those of a log that an operator has given up are none of the present one.
 * Test: "a command's row stays while its record may be read again".
 */
function isSettled(row: Row, owner: Row | undefined): boolean {
  if (row['kafka_offset'] === null || owner === undefined) return true;
  if (BigInt(text(row['epoch'])) < BigInt(text(owner['offsets_since_epoch']))) return true;
  return BigInt(text(row['kafka_offset'])) <= BigInt(text(owner['applied_offset']));
}

async function ownersOf(
  session: MysqlSession,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Row>> {
  const places = new Map(rows.map((row) => [placeOf(row), row]));
  if (places.size === 0) return new Map();
  const owners = await session.rows(
    'SELECT topic, partition_id, applied_offset, offsets_since_epoch FROM partition_owner WHERE ' +
      [...places].map(() => '(topic = ? AND partition_id = ?)').join(' OR '),
    [...places.values()].flatMap((row) => [row['topic'], row['partition_id']]),
  );
  return new Map(owners.map((row) => [placeOf(row), row]));
}

function placeOf(row: Row): string {
  return `${text(row['topic'])}\0${text(row['partition_id'])}`;
}
