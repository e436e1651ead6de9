/** Migrations on the real server: forward only, once, whoever starts them and however often. */
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { pooledSession } from '../../../../src/drivers/mysql/connection-settings.ts';
import type { MysqlServerSettings } from '../../../../src/drivers/mysql/connection-settings.ts';
import { MigrationError, migrate } from '../../../../src/drivers/mysql/migrate.ts';
import { openSession } from '../../../../src/drivers/mysql/session.ts';
import {
  dropDatabase,
  freshServerSettings,
  migrationsFolder,
} from '../../../support/mysql-space.ts';

describe('migrate', () => {
  let server: MysqlServerSettings;
  let folder: string;

  beforeEach(async () => {
    server = freshServerSettings();
    folder = await mkdtemp(path.join(tmpdir(), 'roomcell-migrations-'));
    return async () => {
      await dropDatabase(server);
      await rm(folder, { recursive: true });
    };
  });

  const put = (name: string, sql: string): Promise<void> => writeFile(path.join(folder, name), sql);
  const tables = async (): Promise<readonly string[]> => {
    const session = await openSession(server, pooledSession);
    const rows = await session.rows(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? ORDER BY 1',
      [server.database],
    );
    await session.end();
    return rows.map((row) => String(row['name']));
  };

  it('makes the database and applies the project’s files once', async () => {
    const applied = await migrate(server, migrationsFolder);
    expect(applied.length).toBeGreaterThan(0);
    expect(await tables()).toContain('partition_owner');
    expect(await migrate(server, migrationsFolder)).toEqual([]);
  });

  it('is safe for nodes that start at once: each file is applied by exactly one', async () => {
    await cp(migrationsFolder, folder, { recursive: true });
    const answers = await Promise.all([1, 2, 3].map(() => migrate(server, folder)));
    const applied = answers.flat();
    expect(new Set(applied).size).toBe(applied.length);
    expect(answers.filter((answer) => answer.length > 0)).toHaveLength(1);
  });

  it('refuses a file that was changed after it had been applied', async () => {
    await put('0001_a.sql', 'CREATE TABLE a (id INT PRIMARY KEY);');
    await migrate(server, folder);
    await appendFile(path.join(folder, '0001_a.sql'), '\n-- a harmless word');
    await expect(migrate(server, folder)).rejects.toThrow(/0001_a\.sql was changed/);
  });

  it('takes changed line ends for what they are', async () => {
    await put('0001_a.sql', 'CREATE TABLE a (id INT PRIMARY KEY);\n-- end\n');
    await migrate(server, folder);
    await put('0001_a.sql', 'CREATE TABLE a (id INT PRIMARY KEY);\r\n-- end\r\n');
    expect(await migrate(server, folder)).toEqual([]);
  });

  it('refuses a database that is newer than the release', async () => {
    await put('0001_a.sql', 'CREATE TABLE a (id INT PRIMARY KEY);');
    await put('0002_b.sql', 'CREATE TABLE b (id INT PRIMARY KEY);');
    await migrate(server, folder);
    await rm(path.join(folder, '0002_b.sql'));
    await expect(migrate(server, folder)).rejects.toThrow(/0002_b\.sql, which this release/);
  });

  it('names the statement that fails, and goes on there when it is mended', async () => {
    await put('0001_a.sql', 'CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id NO_TYPE);');
    const failing = migrate(server, folder);
    await expect(failing).rejects.toBeInstanceOf(MigrationError);
    await expect(failing).rejects.toThrow(/Statement 2 of migration 0001_a\.sql/);
    expect(await tables()).toEqual(['a', 'schema_migrations']);
  });

  it('goes on behind a process that died after a statement and before its mark', async () => {
    const sql = 'CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY);';
    await put('0001_a.sql', sql);
    await migrate(server, folder);
    const session = await openSession(server, pooledSession);
    await session.run('DROP TABLE b');
    await session.run('UPDATE schema_migrations SET statements_done = 0, applied_at_ms = NULL');
    await session.end();
    expect(await migrate(server, folder)).toEqual(['0001_a.sql']);
    expect(await tables()).toEqual(['a', 'b', 'schema_migrations']);
  });
});
