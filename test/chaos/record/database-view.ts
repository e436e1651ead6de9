/**
 * The database as an onlooker sees it, past every proxy. It outlives the server's own restarts: a
 * question that fails is asked on a new connection the next time.
 */
import mysql from 'mysql2/promise';
import type { MysqlTarget } from '../../../scripts/stack/stack-types.ts';
import type { OwnerSample, TableRows } from './chaos-record.ts';
import {
  deadLetterRow,
  eventRow,
  giftStatRow,
  listRow,
  logRow,
  outboxRow,
  ownerRow,
  roomRow,
  settlementRow,
  snapshotRow,
  roomDayRow,
  roomWeekRow,
  userRoomRow,
  userWeekRow,
  type SqlRow,
} from './sql-rows.ts';

const connections = 3;
const connectTimeoutMs = 1_000;
const withListEntry =
  'SELECT r.*, l.title, l.cover_url, l.tags_json, l.online_count, l.heat FROM rooms r ' +
  'LEFT JOIN room_list_entries l USING (app_code, room_id)';

/** See the file header. */
export class DatabaseView {
  private readonly pool: mysql.Pool;

  constructor(target: MysqlTarget) {
    this.pool = mysql.createPool({
      ...target,
      connectionLimit: connections,
      connectTimeout: connectTimeoutMs,
      supportBigNumbers: true,
      bigNumberStrings: true,
    });
  }

  /** One question; rejects while the server is away. */
  async ask(sql: string, values: readonly (string | number)[] = []): Promise<readonly SqlRow[]> {
    const [rows] = await this.pool.query<SqlRow[]>(sql, [...values]);
    return rows;
  }

  /** The number that `SELECT … AS n` answers. */
  async count(sql: string): Promise<number> {
    const [row] = await this.ask(sql);
    return Number(row?.['n']);
  }

  /** All owner rows now. */
  async owners(): Promise<OwnerSample['rows']> {
    return (await this.ask('SELECT * FROM partition_owner ORDER BY partition_id')).map(ownerRow);
  }

  /** Every row of every table. Nobody may write meanwhile: the tables are read one after another. */
  async everything(): Promise<TableRows> {
    const all = async <Row>(sql: string, read: (row: SqlRow) => Row): Promise<readonly Row[]> =>
      (await this.ask(sql)).map(read);
    return {
      log: await all('SELECT * FROM room_command_log', logRow),
      events: await all('SELECT * FROM room_events', eventRow),
      outbox: await all('SELECT * FROM room_outbox', outboxRow),
      rooms: await all(withListEntry, roomRow),
      listEntries: await all('SELECT * FROM room_list_entries', listRow),
      snapshots: await all('SELECT * FROM room_snapshots ORDER BY version', snapshotRow),
      owners: await this.owners(),
      settledOffsets: await all('SELECT * FROM partition_settled', (row) => ({
        partition: Number(row['partition_id']),
        offset: BigInt(row['kafka_offset'] as string | number),
      })),
      deadLetters: await all('SELECT * FROM room_dead_letters', deadLetterRow),
      settlements: await all('SELECT * FROM wallet_settlement', settlementRow),
      giftStats: await all('SELECT * FROM room_user_gift_stats', giftStatRow),
      roomDays: await all('SELECT * FROM room_day_contributions', roomDayRow),
      roomWeeks: await all('SELECT * FROM room_week_contributions', roomWeekRow),
      userWeeks: await all('SELECT * FROM room_user_week_contributions', userWeekRow),
      userRooms: await all('SELECT * FROM user_rooms', userRoomRow),
    };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
