/**
 * Starts the run's own Kafka broker (KRaft, one node) from its jars.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { BROKER_LOGGING, brokerProperties } from './kafka-config.ts';
import type { BrokerDoor, KafkaLayout } from './kafka-config.ts';
import { freePort } from './machine.ts';
import { startOwnServer } from './own-server.ts';
import type { BrokerControl } from './stack-types.ts';
import type { Watchdog } from './watchdog.ts';

const PROBE_TIMEOUT_MS = 2_000;
const HEAP = ['-Xms256m', '-Xmx512m', '-XX:+ExitOnOutOfMemoryError'];

/** Where to start a broker and with what. */
export interface BrokerPlan {
  readonly java: string;
  readonly jarsFolder: string;
  readonly runFolder: string;
  readonly advertisedPort: number | undefined;
  readonly listenPort: number | undefined;
  readonly doors: readonly BrokerDoor[];
}

/** A broker that answers; `brokers` is what clients use, `control` is for those who test it. */
export interface StartedBroker {
  readonly brokers: string[];
  readonly control: BrokerControl;
}

/** Formats a data folder under the run's folder and promises a broker that answers. */
export async function startBroker(plan: BrokerPlan, watchdog: Watchdog): Promise<StartedBroker> {
  const folder = join(plan.runFolder, 'kafka');
  const layout = await planLayout(plan, folder);
  const configFile = join(folder, 'server.properties');
  const loggingFile = join(folder, 'log4j2.properties');
  const logFile = join(folder, 'broker.log');
  await mkdir(layout.dataFolder, { recursive: true });
  await writeFile(configFile, brokerProperties(layout));
  await writeFile(loggingFile, BROKER_LOGGING);
  const javaArguments = [
    ...HEAP,
    `-Dlog4j2.configurationFile=${loggingFile}`,
    '-cp',
    join(plan.jarsFolder, '*'),
  ];
  const clusterId = randomBytes(16).toString('base64url');
  await promisify(execFile)(plan.java, [
    ...[...javaArguments, 'kafka.tools.StorageTool'],
    // One word: an id may begin with a hyphen, and would be taken for an option of its own.
    ...['format', `--cluster-id=${clusterId}`, '-c', configFile],
  ]);
  const directBrokers = [`127.0.0.1:${layout.directPort}`];
  const server = await startOwnServer(
    {
      name: 'Kafka',
      command: plan.java,
      arguments: [...javaArguments, 'kafka.Kafka', configFile],
      folder,
      logFile,
      probe: () => probeBroker(directBrokers),
    },
    watchdog,
  );
  const control: BrokerControl = Object.defineProperties(
    { ...server, listenPort: layout.listenPort, directBrokers, logFile },
    { pid: { enumerable: true, get: () => server.pid } },
  );
  return { brokers: [`127.0.0.1:${layout.advertisedPort}`], control };
}

async function planLayout(plan: BrokerPlan, folder: string): Promise<KafkaLayout> {
  const listenPort = plan.listenPort ?? (await freePort());
  return {
    dataFolder: join(folder, 'data'),
    listenPort,
    advertisedPort: plan.advertisedPort ?? listenPort,
    directPort: await freePort(),
    controllerPort: await freePort(),
    doors: plan.doors,
  };
}

/**
 * Ready means: metadata is answered *and* a group coordinator exists. The second makes the broker
 * create its offsets topic now, so that the first real consumer doesn't meet its creation.
 */
export async function probeBroker(brokers: string[]): Promise<void> {
  const kafka = new Kafka({
    clientId: 'roomcell-stack-probe',
    brokers,
    logLevel: logLevel.NOTHING,
    connectionTimeout: PROBE_TIMEOUT_MS,
    requestTimeout: PROBE_TIMEOUT_MS,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 500 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.describeCluster();
    await admin.fetchOffsets({ groupId: 'roomcell-stack-probe' });
  } finally {
    await admin.disconnect();
  }
}
