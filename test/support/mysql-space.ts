/**
 * A database of a test file's own: made and brought to the newest schema before its tests, dropped
 * after them. Where the server is comes from ROOMCELL_MYSQL_…, by default root on this machine.
 */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2';
import { pooledSession } from '../../src/drivers/mysql/connection-settings.ts';
import type { MysqlServerSettings } from '../../src/drivers/mysql/connection-settings.ts';
import { migrate } from '../../src/drivers/mysql/migrate.ts';
import { createMysqlDrivers } from '../../src/drivers/mysql/mysql-drivers.ts';
import type { MysqlDrivers, MysqlSettings } from '../../src/drivers/mysql/mysql-drivers.ts';
import { toMysqlError } from '../../src/drivers/mysql/mysql-errors.ts';
import { openSession } from '../../src/drivers/mysql/session.ts';
import type { MysqlSession, Row } from '../../src/drivers/mysql/session.ts';
import { waitUntil } from './wait-until.ts';

/** The project's migrations. */
export const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** See the file header. */
export interface MysqlSpace {
  readonly server: MysqlServerSettings;
  readonly drivers: MysqlDrivers;
  /** Another set of drivers on the same database, as another node has. Closed by `close`. */
  moreDrivers(settings?: Partial<MysqlSettings>): MysqlDrivers;
  /** A session outside of all drivers: what an operator or an observer does. */
  openObserver(): Promise<MysqlSession>;
  /** Ends all sessions of `openObserver`, and with them whatever they still hold. */
  endObservers(): void;
  /** One statement through the observer of this space. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Whether a transaction holds the owner row of `partition` right now. */
  ownerRowIsHeld(partition: number): Promise<boolean>;
  /** The statements that run now on this database, without the asking one. */
  runningStatements(): Promise<readonly string[]>;
  /** Waits until the server knows of no transaction on this database. */
  noTransactionIsOpen(): Promise<void>;
  close(): Promise<void>;
}

/** Settings of the server that tests use, with a database name that nobody else has. */
export function freshServerSettings(): MysqlServerSettings {
  return {
    host: process.env['ROOMCELL_MYSQL_HOST'] ?? '127.0.0.1',
    port: Number(process.env['ROOMCELL_MYSQL_PORT'] ?? 3306),
    user: process.env['ROOMCELL_MYSQL_USER'] ?? 'root',
    password: process.env['ROOMCELL_MYSQL_PASSWORD'] ?? '',
    database: `roomcell_t_${randomBytes(6).toString('hex')}`,
    tls: null,
  };
}

/** Promises an empty, migrated database; call it in `beforeAll` and `close()` in `afterAll`. */
export async function openMysqlSpace(): Promise<MysqlSpace> {
  const server = freshServerSettings();
  await migrate(server, migrationsFolder);
  const observing = { ...pooledSession, queryMs: 20_000 };
  const opened: MysqlDrivers[] = [];
  const sessions: MysqlSession[] = [];
  const moreDrivers = (settings: Partial<MysqlSettings> = {}): MysqlDrivers => {
    const drivers = createMysqlDrivers({
      server,
      commandsTopic: 't.commands',
      repliesTopic: 't.replies',
      ...settings,
    });
    opened.push(drivers);
    return drivers;
  };
  const openObserver = async (): Promise<MysqlSession> => {
    const session = await openSession(server, observing);
    sessions.push(session);
    return session;
  };
  const observer = await openSession(server, observing);
  return {
    server,
    drivers: moreDrivers(),
    moreDrivers,
    openObserver,
    endObservers: () => sessions.splice(0).forEach((session) => session.destroy()),
    sql: (text, values) => observer.rows(text, values ?? []),
    ownerRowIsHeld: (partition) => ownerRowIsHeld(observer, partition),
    runningStatements: async () => {
      const rows = await observer.rows(runningStatements, [server.database]);
      return rows.map((row) => String(row['info']));
    },
    noTransactionIsOpen: () => noTransactionIsOpen(observer, server.database),
    async close() {
      await Promise.all(opened.map((drivers) => drivers.close()));
      await dropDatabase(server);
      await Promise.all([observer, ...sessions].map((session) => session.end()));
    },
  };
}

/** Drops a test's database. */
export async function dropDatabase(server: MysqlServerSettings): Promise<void> {
  const session = await openSession(server, pooledSession, { withDatabase: false });
  await session.run(`DROP DATABASE IF EXISTS ${mysql.escapeId(server.database)}`);
  await session.end();
}

const runningStatements =
  'SELECT info AS info FROM information_schema.processlist ' +
  "WHERE db = ? AND command = 'Query' AND id <> CONNECTION_ID() AND info IS NOT NULL";

async function ownerRowIsHeld(observer: MysqlSession, partition: number): Promise<boolean> {
  try {
    await observer.run(
      'SELECT epoch FROM partition_owner WHERE topic = ? AND partition_id = ? FOR UPDATE NOWAIT',
      ['t.commands', partition],
    );
    return false;
  } catch (thrown) {
    if (toMysqlError(thrown).sort === 'lockWait') return true;
    throw thrown;
  }
}

/**
 * The server answers from a copy of its transactions that it renews only when nobody has looked for
 * 100 ms; the pause differs from look to look, so that two files cannot keep each other from it.
 */
async function noTransactionIsOpen(observer: MysqlSession, database: string): Promise<void> {
  let open: readonly Row[] = [];
  await waitUntil(
    'no open transaction in information_schema.innodb_trx',
    async () => {
      open = await observer.rows(
        'SELECT t.trx_mysql_thread_id AS thread, t.trx_state AS state ' +
          'FROM information_schema.innodb_trx t JOIN information_schema.processlist p ' +
          'ON p.id = t.trx_mysql_thread_id WHERE p.db = ? AND p.id <> CONNECTION_ID()',
        [database],
      );
      return open.length === 0;
    },
    { everyMs: 150 + Math.random() * 200, seen: () => open },
  );
}
