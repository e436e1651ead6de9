/** What was set aside, in MySQL. */
import type { AppCode, CommandId, EventId, RoomId, RoomVersion } from '../../domain/ids.ts';
import { replayLimitOf } from '../../ports/replay-store.ts';
import type {
  DeadLetter,
  OutboxFilter,
  OutboxStatus,
  RecordPlace,
  ReplayStore,
  ReviewedRow,
} from '../../ports/replay-store.ts';
import type { Destination } from '../../protocol/topics.ts';
import { outboxWhere } from './outbox-filter.ts';
import { text } from './outbox-rows.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';

const outboxColumns =
  'id, event_id, room_id, room_version, event_index, event_type, destination, status, ' +
  'retry_count, started_count, last_error, next_retry_at_ms, lock_until_ms, created_at_ms, ' +
  'finished_at_ms';
const letterColumns =
  'partition_id, kafka_offset, reason, detail, record_key, record_value, headers_json, ' +
  'record_time_ms, created_at_ms, replayed_at_ms, replayed_by';

/** See the port. */
export class MysqlReplayStore implements ReplayStore {
  private readonly pool: MysqlPool;
  private readonly topic: string;

  /** `topic`: of the commands. */
  constructor(pool: MysqlPool, topic: string) {
    this.pool = pool;
    this.topic = topic;
  }

  async outboxRows(
    filter: OutboxFilter,
    status: OutboxStatus,
    afterId: bigint,
    limit: number,
  ): Promise<readonly ReviewedRow[]> {
    const { source, values } = outboxWhere(filter, status);
    const rows = await this.pool.rows(
      'reading rows of the outbox',
      `SELECT ${outboxColumns} ${source} AND id > ? ORDER BY id LIMIT ?`,
      [...values, afterId, replayLimitOf(limit)],
    );
    return rows.map(reviewedRowOf);
  }

  async replayedRows(appCode: AppCode, commandId: CommandId): Promise<number> {
    const [row] = await this.pool.rows(
      'counting what was sent again',
      'SELECT COUNT(*) AS n FROM outbox_replays WHERE app_code = ? AND command_id = ?',
      [appCode, commandId],
    );
    return Number(row?.['n']);
  }

  async deadLetters(after: RecordPlace | null, limit: number): Promise<readonly DeadLetter[]> {
    const behind = '(partition_id > ? OR (partition_id = ? AND kafka_offset > ?))';
    const rows = await this.pool.rows(
      'reading dead letters',
      `SELECT ${letterColumns} FROM room_dead_letters WHERE topic = ? ` +
        `${after === null ? '' : `AND ${behind} `}ORDER BY partition_id, kafka_offset LIMIT ?`,
      [
        this.topic,
        ...(after === null ? [] : [after.partition, after.partition, after.offset]),
        replayLimitOf(limit),
      ],
    );
    return rows.map(letterOf);
  }

  async deadLetter({ partition, offset }: RecordPlace): Promise<DeadLetter | null> {
    const [row] = await this.pool.rows(
      'reading a dead letter',
      `SELECT ${letterColumns} FROM room_dead_letters ` +
        'WHERE topic = ? AND partition_id = ? AND kafka_offset = ?',
      [this.topic, partition, offset],
    );
    return row === undefined ? null : letterOf(row);
  }
}

function reviewedRowOf(row: Row): ReviewedRow {
  const finishedAtMs = row['finished_at_ms'] ?? null;
  return {
    rowId: BigInt(text(row['id'])),
    eventId: text(row['event_id']) as EventId,
    roomId: text(row['room_id']) as RoomId,
    roomVersion: BigInt(text(row['room_version'])) as RoomVersion,
    eventIndex: Number(row['event_index']),
    eventType: text(row['event_type']),
    destination: text(row['destination']) as Destination,
    status: text(row['status']) as OutboxStatus,
    retryCount: Number(row['retry_count']),
    startedCount: Number(row['started_count']),
    lastError: text(row['last_error']),
    nextRetryAtMs: Number(row['next_retry_at_ms']),
    lockUntilMs: Number(row['lock_until_ms']),
    createdAtMs: Number(row['created_at_ms']),
    finishedAtMs: finishedAtMs === null ? null : Number(finishedAtMs),
  };
}

function letterOf(row: Row): DeadLetter {
  const [key, value] = [row['record_key'] ?? null, row['record_value'] ?? null];
  return {
    partition: Number(row['partition_id']),
    offset: BigInt(text(row['kafka_offset'])),
    reason: text(row['reason']),
    detail: text(row['detail']),
    record:
      value === null
        ? null
        : {
            key: key === null ? new Uint8Array() : (key as Uint8Array),
            value: value as Uint8Array,
            headers: JSON.parse(text(row['headers_json'])) as Record<string, string>,
          },
    recordTimeMs: Number(row['record_time_ms']),
    createdAtMs: Number(row['created_at_ms']),
    replayedAtMs: Number(row['replayed_at_ms']),
    replayedBy: text(row['replayed_by']),
  };
}
