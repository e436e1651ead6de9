/**
 * The rows that the service wrote, read back as what each command added: the bare limits insert the
 * very same rows, so that the comparison is about everything but the rows.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';

/** Tables that a command's transaction adds rows to, or changes a row of. */
export const rowTables = ['room_command_log', 'room_events', 'room_outbox', 'rooms'] as const;
/** One of them. */
export type RowTable = (typeof rowTables)[number];

/** Rows of one command: values in the order of `columns`. */
export interface SampledCommand {
  readonly rows: ReadonlyMap<RowTable, readonly (readonly unknown[])[]>;
}

/** Commands with their rows, and the columns that each table's values stand in. */
export interface RowSample {
  readonly commands: readonly SampledCommand[];
  readonly columns: ReadonlyMap<RowTable, readonly string[]>;
}

/** Reads the newest applied commands. Ids that the database counts by itself are left out. */
export async function sampleRows(connection: Connection, limit: number): Promise<RowSample> {
  const columns = new Map<RowTable, readonly string[]>();
  for (const table of rowTables) columns.set(table, await columnsOf(connection, table));
  const [log] = await connection.query<RowDataPacket[]>(
    'SELECT * FROM room_command_log WHERE applied_version IS NOT NULL ORDER BY decided_at_ms DESC LIMIT ?',
    [limit],
  );
  const commands: SampledCommand[] = [];
  for (const row of log) {
    const { app_code: app, room_id: room, applied_version: version } = row;
    const rows = new Map<RowTable, readonly (readonly unknown[])[]>();
    rows.set('room_command_log', [valuesOf(row, columns.get('room_command_log'))]);
    for (const table of ['room_events', 'room_outbox'] as const) {
      const [found] = await connection.query<RowDataPacket[]>(
        `SELECT * FROM ${table} WHERE app_code = ? AND room_id = ? AND room_version = ?`,
        [app, room, version],
      );
      rows.set(
        table,
        found.map((each) => valuesOf(each, columns.get(table))),
      );
    }
    const [rooms] = await connection.query<RowDataPacket[]>(
      'SELECT * FROM rooms WHERE app_code = ? AND room_id = ?',
      [app, room],
    );
    rows.set(
      'rooms',
      rooms.map((each) => valuesOf(each, columns.get('rooms'))),
    );
    commands.push({ rows });
  }
  return { commands, columns };
}

async function columnsOf(connection: Connection, table: string): Promise<readonly string[]> {
  const [found] = await connection.query<RowDataPacket[]>(`SHOW COLUMNS FROM ${table}`);
  return found
    .filter((column) => column['Extra'] !== 'auto_increment')
    .map((column) => String(column['Field']));
}

function valuesOf(row: RowDataPacket, columns: readonly string[] = []): readonly unknown[] {
  return columns.map((name) => row[name] as unknown);
}
