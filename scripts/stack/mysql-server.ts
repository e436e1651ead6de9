/**
 * MySQL for the run: a server that answers already, or a MariaDB/MySQL of the machine started with
 * a data folder of its own. Either way the run gets its own database and drops it at the end.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { findProgram, freePort } from './machine.ts';
import { startOwnServer } from './own-server.ts';
import { mysqlAccountVariables } from './stack-choice.ts';
import type { MissingPiece, MysqlTarget, ServerControl } from './stack-types.ts';
import type { Watchdog } from './watchdog.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const MISSING_MYSQL: MissingPiece = {
  what: 'MariaDB or MySQL: none answers, and no mariadbd or mysqld is installed',
  howToInstall:
    'Debian, Ubuntu: apt-get install mariadb-server · macOS: brew install mariadb · or set ' +
    'ROOMCELL_MYSQL_HOST, _PORT, _USER and _PASSWORD of a server that may create databases',
};

type Environment = Readonly<Record<string, string | undefined>>;
/** A server and an account that may create databases on it. */
export type MysqlAccount = Omit<MysqlTarget, 'database'>;

/** How the run will get its MySQL. */
export type MysqlSource =
  | { readonly kind: 'answering'; readonly account: MysqlAccount; readonly version: string }
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'missing'; readonly piece: MissingPiece };

/** Looks what there is. A server named by the environment is never silently replaced by another. */
export async function findMysql(environment: Environment, ownOnly: boolean): Promise<MysqlSource> {
  if (!ownOnly) {
    const account = mysqlAccountOf(environment);
    try {
      return { kind: 'answering', account, version: await askVersion(account) };
    } catch (error) {
      if (mysqlAccountVariables.some((name) => environment[name] !== undefined)) {
        const what = `MySQL at ${account.host}:${account.port} (ROOMCELL_MYSQL_…): ${String(error)}`;
        return { kind: 'missing', piece: { what, howToInstall: 'start it, or unset these' } };
      }
    }
  }
  const program = findProgram('mariadbd', 'mysqld');
  return program === undefined
    ? { kind: 'missing', piece: MISSING_MYSQL }
    : { kind: 'program', program };
}

/** The account the environment names; by default root without password on 127.0.0.1:3306. */
export function mysqlAccountOf(environment: Environment): MysqlAccount {
  return {
    host: environment['ROOMCELL_MYSQL_HOST'] ?? '127.0.0.1',
    port: Number(environment['ROOMCELL_MYSQL_PORT'] ?? 3306),
    user: environment['ROOMCELL_MYSQL_USER'] ?? 'root',
    password: environment['ROOMCELL_MYSQL_PASSWORD'] ?? '',
  };
}

/** Starts `program` with an empty data folder and promises that it answers on a port of its own. */
export async function startMysql(
  program: string,
  runFolder: string,
  watchdog: Watchdog,
): Promise<{ account: MysqlAccount; control: ServerControl; version: string }> {
  const folder = join(runFolder, 'mysql');
  const data = join(folder, 'data');
  await mkdir(folder, { recursive: true });
  await createDataFolder(program, data);
  const account = { host: '127.0.0.1', port: await freePort(), user: 'root', password: '' };
  const control = await startOwnServer(
    {
      name: 'MySQL',
      command: program,
      arguments: [
        ...['--no-defaults', ...runAsMyself(), `--datadir=${data}`, `--port=${account.port}`],
        ...['--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`],
        ...[`--pid-file=${join(folder, 'pid')}`, '--max-connections=500', '--skip-name-resolve'],
        ...['--innodb-buffer-pool-size=256M', '--character-set-server=utf8mb4'],
      ],
      folder,
      logFile: join(folder, 'server.log'),
      probe: async () => void (await askVersion(account)),
    },
    watchdog,
  );
  return { account, control, version: await askVersion(account) };
}

async function createDataFolder(program: string, data: string): Promise<void> {
  const { stdout } = await promisify(execFile)(program, ['--no-defaults', '--version']);
  if (!stdout.includes('MariaDB')) {
    await promisify(execFile)(program, [
      ...['--no-defaults', '--initialize-insecure', ...runAsMyself(), `--datadir=${data}`],
    ]);
    return;
  }
  const installer = findProgram('mariadb-install-db', 'mysql_install_db');
  if (installer === undefined) throw new Error('mariadb-install-db is missing beside mariadbd');
  await promisify(execFile)(installer, [
    ...['--no-defaults', ...runAsMyself(), `--datadir=${data}`, '--skip-test-db'],
    '--auth-root-authentication-method=normal',
  ]);
}

/** The server refuses to run as root unless it is told so. */
function runAsMyself(): string[] {
  return process.getuid?.() === 0 ? [`--user=${userInfo().username}`] : [];
}

async function askVersion(account: MysqlAccount): Promise<string> {
  return withConnection(account, async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    return String(rows[0]?.['version']);
  });
}

/** Creates the run's database; fails if the account may not. */
export async function createDatabase(account: MysqlAccount, database: string): Promise<void> {
  await withConnection(account, (connection) =>
    connection.query(`CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4`),
  );
}

/** Drops `database` and all whose name begins with it and `_` (test files have one each). */
export async function dropDatabases(account: MysqlAccount, database: string): Promise<void> {
  await withConnection(account, async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT schema_name AS name FROM information_schema.schemata',
    );
    const names = rows.map((row) => String(row['name']));
    for (const name of names) {
      if (name !== database && !name.startsWith(`${database}_`)) continue;
      await connection.query(`DROP DATABASE IF EXISTS \`${name}\``);
    }
  });
}

async function withConnection<T>(
  account: MysqlAccount,
  task: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { host, port, user, password } = account;
  const connection = await createConnection({
    ...{ host, port, user, password },
    connectTimeout: CONNECT_TIMEOUT_MS,
  });
  try {
    return await task(connection);
  } finally {
    connection.destroy();
  }
}
