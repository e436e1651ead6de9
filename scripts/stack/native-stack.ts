/**
 * The native stack: a Kafka broker of the run's own, and a MySQL and a Redis that either answer
 * already or are started from the machine's programs. What this file starts, it ends.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker, type StartedBroker } from './kafka-broker.ts';
import { KAFKA_VERSION, ensureKafkaJars, findKafkaTools } from './kafka-jars.ts';
import { cacheFolder } from './machine.ts';
import { createDatabase, dropDatabases, findMysql, startMysql } from './mysql-server.ts';
import type { MysqlAccount, MysqlSource } from './mysql-server.ts';
import { deleteKeys, findRedis, startRedis, type RedisSource } from './redis-server.ts';
import { newRunNames } from './run-names.ts';
import { recordRun, sweepDeadRuns } from './run-record.ts';
import { envOf } from './stack-env.ts';
import { unavailableBecause, type Stack, type StackOptions } from './stack-types.ts';
import type { MissingPiece, ServerControl } from './stack-types.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Found<Source> = Exclude<Source, { readonly kind: 'missing' }>;

/** What the machine offers, complete. */
interface Offer {
  readonly java: string;
  readonly mysql: Found<MysqlSource>;
  readonly redis: Found<RedisSource>;
}

/** The three servers of the run; `control` is undefined for one that was there before. */
interface Servers {
  readonly broker: StartedBroker;
  readonly mysql: {
    readonly account: MysqlAccount;
    readonly version: string;
    readonly control: ServerControl | undefined;
  };
  readonly redis: { readonly url: string; readonly control: ServerControl | undefined };
}

/** Promises a native stack; rejects with one message about everything that is missing. */
export async function startNativeStack(
  options: StackOptions,
  environment: Environment,
  log: (line: string) => void,
): Promise<Stack> {
  const offer = await look(options, environment);
  const jarsFolder = await ensureKafkaJars(environment);
  const runFolder = await mkdtemp(join(tmpdir(), 'roomcell-'));
  const watchdog = startWatchdog(runFolder);
  try {
    const servers = await startServers(offer, { options, jarsFolder, runFolder }, watchdog);
    return await claimNames(servers, environment, { runFolder, watchdog, log });
  } catch (error) {
    // It knows every process that was started, also those whose start is still under way.
    await watchdog.dismiss();
    throw error;
  }
}

async function look(options: StackOptions, environment: Environment): Promise<Offer> {
  const ownOnly = options.ownServers === true;
  const [tools, mysql, redis] = await Promise.all([
    findKafkaTools(environment),
    findMysql(environment, ownOnly),
    findRedis(environment, ownOnly),
  ]);
  const missing: MissingPiece[] = [...tools.missing];
  if (mysql.kind === 'missing') missing.push(mysql.piece);
  if (redis.kind === 'missing') missing.push(redis.piece);
  const isComplete = missing.length === 0 && tools.java !== undefined;
  if (!isComplete || mysql.kind === 'missing' || redis.kind === 'missing') {
    throw unavailableBecause(missing);
  }
  return { java: tools.java, mysql, redis };
}

async function startServers(
  offer: Offer,
  plan: { options: StackOptions; jarsFolder: string; runFolder: string },
  watchdog: Watchdog,
): Promise<Servers> {
  const { runFolder, options } = plan;
  const starts = [
    startBroker(
      {
        java: offer.java,
        jarsFolder: plan.jarsFolder,
        runFolder,
        advertisedPort: options.kafkaAdvertisedPort,
        listenPort: options.kafkaListenPort,
        doors: options.kafkaDoors ?? [],
      },
      watchdog,
    ),
    haveMysql(offer.mysql, runFolder, watchdog),
    haveRedis(offer.redis, runFolder, watchdog),
  ] as const;
  // All of them, also when one fails: a start that goes on unseen would leave its server behind.
  await Promise.allSettled(starts);
  const [broker, mysql, redis] = await Promise.all(starts);
  return { broker, mysql, redis };
}

async function haveMysql(
  found: Offer['mysql'],
  runFolder: string,
  watchdog: Watchdog,
): Promise<Servers['mysql']> {
  if (found.kind === 'answering') return { ...found, control: undefined };
  return startMysql(found.program, runFolder, watchdog);
}

async function haveRedis(
  found: Offer['redis'],
  runFolder: string,
  watchdog: Watchdog,
): Promise<Servers['redis']> {
  if (found.kind === 'answering') return { url: found.url, control: undefined };
  return startRedis(found.program, runFolder, watchdog);
}

async function claimNames(
  servers: Servers,
  environment: Environment,
  run: { runFolder: string; watchdog: Watchdog; log: (line: string) => void },
): Promise<Stack> {
  const { broker, mysql, redis } = servers;
  const shared = {
    account: mysql.control === undefined ? mysql.account : undefined,
    redisUrl: redis.control === undefined ? redis.url : undefined,
  };
  const cache = cacheFolder(environment);
  await sweepDeadRuns(cache, shared).catch((error: unknown) =>
    run.log(`stack: traces of an earlier run could not be removed (${String(error)})`),
  );
  const names = newRunNames();
  const forgetRun = recordRun(cache, shared, names);
  await createDatabase(mysql.account, names.database);
  const addresses = {
    kafkaBrokers: broker.brokers,
    mysql: { ...mysql.account, database: names.database },
    redis: { url: redis.url, keyPrefix: names.keyPrefix },
  };
  let stopping: Promise<void> | undefined;
  return {
    kind: 'native',
    description: describe(servers, addresses.mysql.database, names.keyPrefix),
    ...addresses,
    env: envOf(addresses),
    kafka: broker.control,
    mysqlServer: mysql.control,
    redisServer: redis.control,
    stop: () => (stopping ??= stop(servers, names, forgetRun, run)),
  };
}

function describe(servers: Servers, database: string, keyPrefix: string): string {
  const { broker, mysql, redis } = servers;
  const origin = (control: ServerControl | undefined): string =>
    control === undefined ? 'found' : 'started';
  return (
    `stack: native · Kafka ${KAFKA_VERSION} ${broker.brokers.join(',')} (started) · ` +
    `MySQL ${mysql.version} ${mysql.account.host}:${mysql.account.port} ` +
    `(${origin(mysql.control)}), database ${database} · ` +
    `Redis ${new URL(redis.url).host} (${origin(redis.control)}), keys ${keyPrefix}*`
  );
}

async function stop(
  servers: Servers,
  names: { database: string; keyPrefix: string },
  forgetRun: () => void,
  run: { runFolder: string; watchdog: Watchdog; log: (line: string) => void },
): Promise<void> {
  const { broker, mysql, redis } = servers;
  // 1. Traces on servers that stay; a server of our own goes with its data.
  try {
    if (mysql.control === undefined) await dropDatabases(mysql.account, names.database);
    if (redis.control === undefined) await deleteKeys(redis.url, names.keyPrefix);
    forgetRun();
  } catch (error) {
    run.log(`stack: traces stay until the next run removes them (${String(error)})`);
  }
  // 2. Our servers, by force: nobody reads their data again.
  await Promise.all([broker.control.kill(), mysql.control?.kill(), redis.control?.kill()]);
  // 3. The folder, and whatever the watchdog still knows.
  await rm(run.runFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  await run.watchdog.dismiss();
}
