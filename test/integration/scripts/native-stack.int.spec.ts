/**
 * The native stack's promises, on a stack of this file's own: a proxy can stand before the broker,
 * and a killed or frozen server comes back with its data.
 */
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/stack/machine.ts';
import { startStack } from '../../../scripts/stack/start-stack.ts';
import type { BrokerControl, Stack } from '../../../scripts/stack/stack-types.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { openTestSpace } from '../../support/stack-env.ts';

/** A second stack beside the run's own, on a machine that may be busy with other suites. */
const START_TIMEOUT_MS = 180_000;

let stack: Stack;
let broker: BrokerControl;
let proxy: TcpProxy;

beforeAll(async () => {
  const listenPort = await freePort();
  proxy = await startTcpProxy({ targetPort: listenPort });
  stack = await startStack({
    environment: { ...process.env, ROOMCELL_STACK: 'native' },
    kafkaListenPort: listenPort,
    kafkaAdvertisedPort: proxy.port,
    ownServers: true,
    log: () => undefined,
  });
  if (stack.kafka === undefined) throw new Error('a native stack controls its broker');
  broker = stack.kafka;
}, START_TIMEOUT_MS);

afterAll(async () => {
  await stack.stop();
  await proxy.close();
});

describe('native stack', { timeout: START_TIMEOUT_MS }, () => {
  it('leads clients through the proxy and observers past it', async () => {
    expect(stack.kafkaBrokers).toEqual([`127.0.0.1:${proxy.port}`]);
    await withAdmin(stack.kafkaBrokers, async (admin) => {
      const { brokers } = await admin.describeCluster();
      expect(brokers).toMatchObject([{ host: '127.0.0.1', port: proxy.port }]);
    });
    await proxy.refuse();
    await expect(withAdmin(stack.kafkaBrokers, (admin) => admin.listTopics())).rejects.toThrow();
    await withAdmin(broker.directBrokers, (admin) => admin.listTopics());
    await proxy.accept();
    await withAdmin(stack.kafkaBrokers, (admin) => admin.listTopics());
  });

  it('makes no topic by itself', async () => {
    await withAdmin(broker.directBrokers, async (admin) => {
      await expect(admin.fetchTopicOffsets('nobody.made.this')).rejects.toThrow();
      expect(await admin.listTopics()).not.toContain('nobody.made.this');
    });
  });

  it('keeps topics over a kill and a new start of the broker', async () => {
    const topics = [{ topic: 'kept', numPartitions: 3 }];
    await withAdmin(broker.directBrokers, (admin) => admin.createTopics({ topics }));
    const pidBefore = broker.pid;
    await broker.kill();
    expect(broker.pid).toBeUndefined();
    await broker.start();
    expect(broker.pid).not.toBe(pidBefore);
    await withAdmin(broker.directBrokers, async (admin) => {
      expect(await admin.fetchTopicOffsets('kept')).toHaveLength(3);
    });
  });

  it('freezes a server and thaws it with its connections', async () => {
    const redis = new Redis(stack.redis.url);
    expect(await redis.ping()).toBe('PONG');
    stack.redisServer?.freeze();
    const answer = redis.ping();
    const first = await Promise.race([answer, silence(300)]);
    expect(first).toBe('silence');
    stack.redisServer?.thaw();
    expect(await answer).toBe('PONG');
    redis.disconnect();
  });

  it('keeps tables over a kill and a new start of MySQL', async () => {
    await query('CREATE TABLE kept (id INT PRIMARY KEY)');
    await query('INSERT INTO kept VALUES (7)');
    await stack.mysqlServer?.kill();
    await stack.mysqlServer?.start();
    expect(await query('SELECT id FROM kept')).toMatchObject([{ id: 7 }]);
  });
});

describe('a test file', () => {
  it('has a database and keys of its own and takes them away', async () => {
    const one = await openTestSpace('one');
    const other = await openTestSpace('other');
    expect(one.mysql.database).not.toBe(other.mysql.database);
    expect(one.env['ROOMCELL_REDIS_KEY_PREFIX']).toBe(one.redis.keyPrefix);
    const redis = new Redis(one.redis.url);
    await redis.set(`${one.redis.keyPrefix}key`, 'mine');
    await redis.set(`${other.redis.keyPrefix}key`, 'theirs');
    await one.close();
    expect(await redis.get(`${one.redis.keyPrefix}key`)).toBeNull();
    expect(await redis.get(`${other.redis.keyPrefix}key`)).toBe('theirs');
    await expect(createConnection(one.mysql)).rejects.toMatchObject({ code: 'ER_BAD_DB_ERROR' });
    await other.close();
    redis.disconnect();
  });
});

async function withAdmin<T>(brokers: string[], task: (admin: Admin) => Promise<T>): Promise<T> {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 1 } });
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await task(admin);
  } finally {
    await admin.disconnect();
  }
}

async function query(sql: string): Promise<RowDataPacket[]> {
  const connection = await createConnection(stack.mysql);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  } finally {
    connection.destroy();
  }
}

/** Time is the subject here: nothing else can show that an answer does not come. */
function silence(durationMs: number): Promise<'silence'> {
  return new Promise((settle) => setTimeout(() => settle('silence'), durationMs));
}
