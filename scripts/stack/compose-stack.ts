/**
 * The stack of containers: Kafka, MySQL and Redis of docker-compose.yml under a project name and on
 * ports of this run. The roles run from the checkout, as on every other stack.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startByCommandLine, type StartProject } from './compose-project.ts';
import { probeBroker } from './kafka-broker.ts';
import { cacheFolder, freePort } from './machine.ts';
import { createDatabase } from './mysql-server.ts';
import { pingRedis } from './redis-server.ts';
import { newRunNames } from './run-names.ts';
import { envOf, type StackAddresses } from './stack-env.ts';
import type { Stack, StackOptions } from './stack-types.ts';

/** The servers answered inside their containers; this is for the way to them. */
const ANSWER_LIMIT_MS = 60_000;
const ANSWER_PAUSE_MS = 500;
const PROJECT_BYTES = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/** Promises a stack of containers; rejects, with nothing left behind, when one cannot be had. */
export async function startComposeStack(
  options: StackOptions,
  environment: Environment,
  log: (line: string) => void,
  startProject: StartProject = startByCommandLine,
): Promise<Stack> {
  const project = `roomcell-${randomBytes(PROJECT_BYTES).toString('hex')}`;
  const [kafka, mysql, redis, ui] = await Promise.all([0, 0, 0, 0].map(() => freePort()));
  const hasUi = options.withKafkaUi === true;
  const password = randomBytes(16).toString('hex');
  log('stack: starting containers; the first time, fetching their images takes minutes');
  const started = await startProject({
    project,
    services: ['kafka', 'mysql', 'redis', ...(hasUi ? ['kafka-ui'] : [])],
    environment: {
      ...environment,
      STACK_KAFKA_PORT: String(kafka),
      STACK_MYSQL_PORT: String(mysql),
      STACK_REDIS_PORT: String(redis),
      STACK_KAFKA_UI_PORT: String(ui),
      ROOMCELL_MYSQL_PASSWORD: password,
    },
    cacheFolder: cacheFolder(environment),
    signal: options.signal,
  });
  const names = newRunNames();
  const host = '127.0.0.1';
  const addresses: StackAddresses = {
    kafkaBrokers: [`${host}:${kafka}`],
    mysql: { host, port: Number(mysql), user: 'root', password, database: names.database },
    redis: { url: `redis://${host}:${redis}`, keyPrefix: names.keyPrefix },
  };
  try {
    await claim(addresses, options.signal);
  } catch (error) {
    await started.stop();
    throw error;
  }
  let stopping: Promise<void> | undefined;
  return {
    kind: 'compose',
    description:
      `stack: compose, project ${project} · Kafka ${host}:${kafka} · MySQL ${host}:${mysql}, ` +
      `database ${names.database} · Redis ${host}:${redis}` +
      (hasUi ? ` · Kafka UI http://${host}:${ui}` : ''),
    ...addresses,
    env: envOf(addresses),
    kafka: undefined,
    mysqlServer: undefined,
    redisServer: undefined,
    stop: () => (stopping ??= started.stop()),
  };
}

/** Reaches each server by its published port, and makes the run's database. */
async function claim(
  { kafkaBrokers, mysql, redis }: StackAddresses,
  signal: AbortSignal | undefined,
): Promise<void> {
  await Promise.all([
    untilAnswer('Kafka', () => probeBroker(kafkaBrokers), signal),
    untilAnswer('MySQL', () => createDatabase(mysql, mysql.database), signal),
    untilAnswer('Redis', () => pingRedis(redis.url), signal),
  ]);
}

async function untilAnswer(
  name: string,
  ask: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadlineMs = Date.now() + ANSWER_LIMIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadlineMs) {
        throw new Error(`${name} runs in its container, but does not answer: ${String(error)}`, {
          cause: error,
        });
      }
    }
    await delay(ANSWER_PAUSE_MS);
  }
}
