/**
 * The stack of containers from the moment its servers are up. Native servers of this file stand in
 * for the containers, on the ports and with the password that the plan gives them.
 */
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComposePlan, ComposeProject } from '../../../scripts/stack/compose-project.ts';
import { startComposeStack } from '../../../scripts/stack/compose-stack.ts';
import { startStack } from '../../../scripts/stack/start-stack.ts';
import type { Stack } from '../../../scripts/stack/stack-types.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

/** A second stack beside the run's own, on a machine that may be busy with other suites. */
const startTimeoutMs = 180_000;

let stack: Stack;
let plan: ComposePlan;
let stopCount = 0;

async function startStandIns(given: ComposePlan): Promise<ComposeProject> {
  plan = given;
  const portOf = (name: string): number => Number(given.environment[`STACK_${name}_PORT`]);
  const native = await startStack({
    environment: { ...process.env, ROOMCELL_STACK: 'native' },
    kafkaListenPort: portOf('KAFKA'),
    ownServers: true,
    log: () => undefined,
  });
  const { database: _, ...account } = native.mysql;
  const connection = await createConnection(account);
  const [rows] = await connection.query<RowDataPacket[]>('SELECT CURRENT_USER() AS account');
  // Named: MariaDB 10.11 gives an account without a plugin no password by CURRENT_USER().
  const [user, host] = String(rows[0]?.['account']).split('@');
  const password = given.environment['ROOMCELL_MYSQL_PASSWORD'];
  await connection.query('ALTER USER ?@? IDENTIFIED BY ?', [user, host, password]);
  connection.destroy();
  const redisPort = Number(new URL(native.redis.url).port);
  const doors = [
    await startTcpProxy({ targetPort: native.mysql.port, listenPort: portOf('MYSQL') }),
    await startTcpProxy({ targetPort: redisPort, listenPort: portOf('REDIS') }),
  ];
  return {
    async stop() {
      stopCount += 1;
      await Promise.all(doors.map((door) => door.close()));
      await native.stop();
    },
  };
}

beforeAll(async () => {
  stack = await startComposeStack({ withKafkaUi: true }, {}, () => undefined, startStandIns);
}, startTimeoutMs);
afterAll(() => stack.stop(), startTimeoutMs);

describe('a stack of containers', { timeout: startTimeoutMs }, () => {
  it('asks for the three servers and the page, under a name of its own', () => {
    expect(plan.services).toEqual(['kafka', 'mysql', 'redis', 'kafka-ui']);
    expect(plan.project).toMatch(/^roomcell-[0-9a-f]{10}$/);
    expect(stack.description).toContain(plan.project);
    expect(stack.description).toContain(
      `http://127.0.0.1:${plan.environment['STACK_KAFKA_UI_PORT']}`,
    );
  });

  it('leads to each server by the port and the password of this run', async () => {
    const kafka = new Kafka({ brokers: stack.kafkaBrokers, logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    expect(await admin.listTopics()).toContain('__consumer_offsets');
    await admin.disconnect();

    const connection = await createConnection(stack.mysql);
    const [rows] = await connection.query<RowDataPacket[]>('SELECT DATABASE() AS name');
    connection.destroy();
    expect(rows).toEqual([{ name: stack.mysql.database }]);
    expect(stack.mysql.password).toHaveLength(32);

    const redis = new Redis(stack.redis.url);
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });

  it('tells a child process the same', () => {
    expect(stack.env).toMatchObject({
      ROOMCELL_KAFKA_BROKERS: stack.kafkaBrokers[0],
      ROOMCELL_MYSQL_PORT: String(stack.mysql.port),
      ROOMCELL_MYSQL_PASSWORD: stack.mysql.password,
      ROOMCELL_REDIS_URL: stack.redis.url,
    });
  });

  it('stops its containers once, however often it is asked to', async () => {
    await Promise.all([stack.stop(), stack.stop()]);
    expect(stopCount).toBe(1);
  });
});
