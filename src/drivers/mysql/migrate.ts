/**
 * Brings a database to the schema of this release: forward only, one file after another, safe when
 * many nodes start at once. DDL commits by itself in both engines, so progress is kept statement by
 * statement: a process that died between two statements is taken up where it was.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import mysql from 'mysql2';
import { migrationSession } from './connection-settings.ts';
import type { MysqlServerSettings } from './connection-settings.ts';
import { MysqlError } from './mysql-errors.ts';
import { openSession } from './session.ts';
import type { MysqlSession } from './session.ts';
import { splitStatements } from './split-statements.ts';

/** How long one node waits for another one's migration. */
const otherNodeMs = 300_000;

/** The schema cannot be brought forward; the message says what to do. Never retried by itself. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

interface Migration {
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

interface Applied {
  readonly checksum: string;
  readonly statementsDone: number;
  readonly finished: boolean;
}

/**
 * Creates the database when there is none and applies the `*.sql` files of `folder` in the order of
 * their names. Answers the names it applied now. Throws MigrationError for a file whose text changed
 * after it was applied, for an applied one that this release does not have, and for a statement that
 * fails; MysqlError when the server cannot be reached.
 */
export async function migrate(
  server: MysqlServerSettings,
  folder: string,
): Promise<readonly string[]> {
  const migrations = await readMigrations(folder);
  const session = await openSession(server, migrationSession, { withDatabase: false });
  try {
    await holdMigrationLock(session, server.database);
    const database = mysql.escapeId(server.database);
    await session.run(
      `CREATE DATABASE IF NOT EXISTS ${database} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    );
    await session.run(`USE ${database}`);
    await session.run(bookkeepingTable);
    const applied = await readApplied(session);
    refuseStrangers(migrations, applied);
    const done: string[] = [];
    for (const migration of migrations) {
      const before = applied.get(migration.name);
      if (before?.finished === true) continue;
      await apply(session, migration, before);
      done.push(migration.name);
    }
    return done;
  } finally {
    // The lock ends with the session.
    await session.end();
  }
}

const bookkeepingTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name             VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  checksum         CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  statements_done  INT NOT NULL,
  applied_at_ms    BIGINT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`;

async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      // A checkout may have changed the line ends; that is no change of the migration.
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      const checksum = createHash('sha256').update(text, 'utf8').digest('hex');
      return { name, checksum, statements: splitStatements(text) };
    }),
  );
}

/**
 * Two nodes that start at once: one holds the lock, the other waits and finds everything done.
 * Locks are server-wide, hence the database in the name. Test: "is safe for
 * nodes that start at once".
 */
async function holdMigrationLock(session: MysqlSession, database: string): Promise<void> {
  const digest = createHash('sha256').update(database, 'utf8').digest('hex').slice(0, 40);
  const answer = await session.run(
    'SELECT GET_LOCK(?, ?) AS held',
    [`rc:migrate:${digest}`, otherNodeMs / 1_000],
    otherNodeMs + 10_000,
  );
  if (String(answer.rows[0]?.['held']) === '1') return;
  throw new MigrationError(
    `Another process has been migrating database ${database} for ${otherNodeMs / 1_000} s. ` +
      'Look at its log, or end its connection, and start again.',
  );
}

async function readApplied(session: MysqlSession): Promise<ReadonlyMap<string, Applied>> {
  const rows = await session.rows(
    'SELECT name, checksum, statements_done, applied_at_ms FROM schema_migrations',
  );
  return new Map(
    rows.map((row) => [
      String(row['name']),
      {
        checksum: String(row['checksum']),
        statementsDone: Number(row['statements_done']),
        finished: row['applied_at_ms'] !== null,
      },
    ]),
  );
}

function refuseStrangers(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, Applied>,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const [name, { checksum }] of applied) {
    const migration = known.get(name);
    if (migration === undefined) {
      throw new MigrationError(
        `The database has migration ${name}, which this release does not know: the release is ` +
          'older than the database. Start a release that has it.',
      );
    }
    if (migration.checksum !== checksum) {
      throw new MigrationError(
        `Migration ${name} was changed after it had been applied. Restore its text and put the ` +
          'change into a new file.',
      );
    }
  }
}

async function apply(
  session: MysqlSession,
  migration: Migration,
  before: Applied | undefined,
): Promise<void> {
  const { name, checksum, statements } = migration;
  if (before === undefined) {
    await session.run(
      'INSERT INTO schema_migrations (name, checksum, statements_done) VALUES (?, ?, 0)',
      [name, checksum],
    );
  }
  const first = before?.statementsDone ?? 0;
  for (let index = first; index < statements.length; index += 1) {
    const mayBeDone = before !== undefined && index === first;
    await applyOne(session, migration, index, mayBeDone);
    await session.run('UPDATE schema_migrations SET statements_done = ? WHERE name = ?', [
      index + 1,
      name,
    ]);
  }
  await session.run('UPDATE schema_migrations SET applied_at_ms = ? WHERE name = ?', [
    Date.now(),
    name,
  ]);
}

/**
 * `mayBeDone`: the process before us may have died after this statement and before its mark. That it
 * exists already is then the proof that it ran, not a failure.
 */
async function applyOne(
  session: MysqlSession,
  migration: Migration,
  index: number,
  mayBeDone: boolean,
): Promise<void> {
  try {
    await session.run(migration.statements[index] ?? '');
  } catch (thrown) {
    if (!(thrown instanceof MysqlError) || thrown.errno === 0) throw thrown;
    if (mayBeDone && existsAlready.has(thrown.errno)) return;
    const head = (migration.statements[index] ?? '').slice(0, 120).replaceAll('\n', ' ');
    throw new MigrationError(
      `Statement ${index + 1} of migration ${migration.name} failed: ${thrown.message} (${head}…)`,
      { cause: thrown },
    );
  }
}

/** Table, column, key, foreign key exists; column or key to drop does not. */
const existsAlready: ReadonlySet<number> = new Set([1050, 1051, 1060, 1061, 1091, 1826]);
