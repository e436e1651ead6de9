/**
 * The running stack as a test file sees it: the addresses that `npm test` exported, with a database
 * and a key prefix of the file's own, so that files can run side by side.
 */
import { randomBytes } from 'node:crypto';
import { addressesOf, envOf } from '../../scripts/stack/stack-env.ts';
import { createDatabase, dropDatabases } from '../../scripts/stack/mysql-server.ts';
import { deleteKeys } from '../../scripts/stack/redis-server.ts';
import type { MysqlTarget, RedisTarget } from '../../scripts/stack/stack-types.ts';

/** A part of the stack that belongs to one test file. */
export interface TestSpace {
  /** Letters, digits and `_`; put it into topic and group names: Kafka is shared by all files. */
  readonly name: string;
  readonly kafkaBrokers: string[];
  /** An empty database. */
  readonly mysql: MysqlTarget;
  readonly redis: RedisTarget;
  /** The same as ROOMCELL_… variables, for a child process. */
  readonly env: Record<string, string>;
  /** `room.commands` becomes `<name>.room.commands`. */
  topic(base: string): string;
  /** Drops the database and deletes the keys. */
  close(): Promise<void>;
}

/**
 * Promises a fresh space; call it in `beforeAll` and `close()` in `afterAll`. `label` is for the
 * reader of a database list: lower-case letters and digits. Throws when `stackEnv` names no servers:
 * that of this process does within `npm test`.
 */
export async function openTestSpace(
  label: string,
  stackEnv: Readonly<Record<string, string | undefined>> = process.env,
): Promise<TestSpace> {
  if (!/^[a-z0-9]{1,20}$/.test(label)) throw new Error(`label '${label}': use a-z and 0-9`);
  const read = addressesOf(stackEnv);
  if ('missing' in read) {
    throw new Error(`${read.missing.join(', ')} not set: run this test through npm test`);
  }
  const { kafkaBrokers, mysql, redis } = read.addresses;
  const name = `${label}_${randomBytes(3).toString('hex')}`;
  const own = {
    kafkaBrokers,
    mysql: { ...mysql, database: `${mysql.database}_${name}` },
    redis: { ...redis, keyPrefix: `${redis.keyPrefix}${name}:` },
  };
  await createDatabase(own.mysql, own.mysql.database);
  return {
    name,
    ...own,
    env: envOf(own),
    topic: (base) => `${name}.${base}`,
    async close() {
      await dropDatabases(own.mysql, own.mysql.database);
      await deleteKeys(own.redis.url, own.redis.keyPrefix);
    },
  };
}
