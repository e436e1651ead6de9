/** Migrations on the real server: forward only, once, whoever starts them and however often. */
import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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

  it('has rooms with people of earlier releases looked at for stale users, and no others', async () => {
    await cp(migrationsFolder, folder, { recursive: true });
    const sweeps = path.join(folder, '0007_sweeps.sql');
    const later = (await readdir(folder)).filter((name) => name >= '0007');
    for (const name of later) await rm(path.join(folder, name));
    await migrate(server, folder);
    const session = await openSession(server, pooledSession);
    const hash = Buffer.alloc(32);
    for (const [roomId, status, online] of [
      ['people', 'active', 2],
      ['empty', 'active', 0],
      ['closed', 'closed', 0],
    ] as const) {
      await session.run(
        'INSERT INTO rooms (app_code, room_id, partition_id, version, chain_hash, status, ' +
          'owner_user_id, seat_count, mode, visible_region_id, password_hash, password_version, ' +
          "created_at_ms, updated_at_ms) VALUES ('a', ?, 0, 1, ?, ?, 'o', 8, 'free', 1, '', 1, 1, 1)",
        [roomId, hash, status],
      );
      await session.run(
        'INSERT INTO room_list_entries (app_code, room_id, status, title, cover_url, ' +
          'owner_user_id, mode, visible_region_id, locked, tags_json, seat_count, online_count, ' +
          "created_at_ms, updated_at_ms) VALUES ('a', ?, ?, 't', '', 'o', 'free', 1, 0, '[]', 8, ?, " +
          '1, 1)',
        [roomId, status, online],
      );
    }
    await cp(path.join(migrationsFolder, '0007_sweeps.sql'), sweeps);
    await migrate(server, folder);
    const rows = await session.rows('SELECT room_id, next_sweep_ms AS at FROM rooms ORDER BY 1');
    await session.end();
    expect(
      rows.map((row) => [row['room_id'], row['at'] === null ? null : Number(row['at'])]),
    ).toEqual([
      ['closed', null],
      ['empty', null],
      ['people', 0],
    ]);
  });

  it('leaves a database that was in use at the level of its release, and a new one at none', async () => {
    await cp(migrationsFolder, folder, { recursive: true });
    const later = (await readdir(folder)).filter((name) => name >= '0009');
    for (const name of later) await rm(path.join(folder, name));
    const levels = async (): Promise<readonly number[]> => {
      const rows = await session.rows('SELECT level FROM schema_level');
      return rows.map((row) => Number(row['level']));
    };
    await migrate(server, folder);
    const session = await openSession(server, pooledSession);
    await session.run(
      'INSERT INTO avro_schemas (fingerprint, name, schema_json, registered_at_ms) ' +
        "VALUES ('00000000000000aa', 'R', '{}', 1), ('00000000000000ab', 'R', '{}', 1)",
    );
    await migrate(server, migrationsFolder);
    expect(await levels()).toEqual([2]);
    await session.run('DELETE FROM avro_schemas');
    await session.run('DROP TABLE schema_level');
    await session.run("DELETE FROM schema_migrations WHERE name = '0009_schema_level.sql'");
    await migrate(server, migrationsFolder);
    expect(await levels()).toEqual([]);
    await session.end();
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
