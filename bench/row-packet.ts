/** One transaction of sampled rows as one text: what a writer without a room would send. */
import type { Connection } from 'mysql2/promise';
import { rowTables, type RowSample } from './row-sample.ts';

/** Makes copies of the tables without rows. */
export async function makeBareTables(connection: Connection): Promise<void> {
  for (const table of rowTables) {
    await connection.query(`DROP TABLE IF EXISTS bare_${table}`);
    await connection.query(`CREATE TABLE bare_${table} LIKE ${table}`);
  }
}

/**
 * The packet of the commands with these serial numbers. A number stands for one command of the
 * sample and makes its rows unique; no number may come twice.
 */
export function rowPacket(
  connection: Connection,
  sample: RowSample,
  serials: readonly number[],
): string {
  const statements = ['BEGIN'];
  for (const table of rowTables) {
    const columns = sample.columns.get(table) ?? [];
    const rows = serials.flatMap((serial) => {
      const command = sample.commands[serial % sample.commands.length];
      return (command?.rows.get(table) ?? []).map((row) => marked(row, columns, serial));
    });
    if (rows.length === 0) continue;
    // A room's own row is changed, not added.
    const verb = table === 'rooms' ? 'REPLACE' : 'INSERT';
    const into = `${verb} INTO bare_${table} (${columns.join(', ')}) VALUES ?`;
    statements.push(connection.format(into, [rows]));
  }
  return [...statements, 'COMMIT'].join(';\n');
}

const eventIdKept = 24;
const serialDigits = 12;

/** Columns by which a row is unique, with the serial number worked in. */
function marked(row: readonly unknown[], columns: readonly string[], serial: number): unknown[] {
  return row.map((value, at) => {
    const column = columns[at];
    if (column === 'command_id') return `bare-${serial}`;
    if (column === 'event_id') {
      // The first part tells two events of one command apart.
      const kept = String(value).slice(0, eventIdKept);
      return kept + serial.toString(16).padStart(serialDigits, '0');
    }
    return column === 'applied_version' || column === 'room_version' ? serial + 1 : value;
  });
}
