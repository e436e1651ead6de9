/**
 * The deployment of a run: servers that it starts itself, and pods of which each reaches each server
 * through a proxy of its own. Whatever it started ends with it, also when this process is killed.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/stack/machine.ts';
import { startStack } from '../../../scripts/stack/start-stack.ts';
import type { BrokerControl, ServerControl, Stack } from '../../../scripts/stack/stack-types.ts';
import { startWatchdog, type Watchdog } from '../../../scripts/stack/watchdog.ts';
import { Fleet } from '../../e2e/support/fleet.ts';
import type { RoleProcess } from '../../e2e/support/role-process.ts';
import { openTaps, type Taps } from '../../e2e/support/taps.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { closeLinks, envOfLinks, healLinks, openLinks } from './links.ts';
import { Pod, podPlans, sparePlan, type PodPlan } from './pod.ts';

/** Where a run keeps its logs, and which program it runs. */
export interface DeploymentOptions {
  readonly logFolder: string;
  /** Folder whose `dist` holds the cells' and gateways' program. Default: this project. */
  readonly programRoot?: string;
  readonly signal: AbortSignal;
}

/** Times short enough for a cycle of seconds, and a wallet that runs dry now and then. */
const settings: Readonly<Record<string, string>> = {
  ROOMCELL_LEASE_TTL: '5s',
  ROOMCELL_KAFKA_SESSION_TIMEOUT: '6s',
  ROOMCELL_KAFKA_REBALANCE_TIMEOUT: '8s',
  ROOMCELL_KAFKA_REQUEST_TIMEOUT: '4s',
  ROOMCELL_WALLET_TIMEOUT: '1s',
  ROOMCELL_CELL_CHARGE_BUDGET: '3s',
  ROOMCELL_CELL_SETTLEMENT_POLL: '500ms',
  ROOMCELL_CATALOGUE_AT_START: 'demo/rose=10,demo/boat=200,demo/clover=20/lucky',
  ROOMCELL_SANDBOX_WALLET_OPENING_COINS: '2000',
  ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL: '300ms',
  ROOMCELL_OUTBOX_WORKER_INITIAL_BACKOFF: '500ms',
  ROOMCELL_OUTBOX_WORKER_MAX_BACKOFF: '5s',
  ROOMCELL_OUTBOX_WORKER_PUBLISH_TIMEOUT: '1s',
  ROOMCELL_OUTBOX_WORKER_RUN_SIZE: '4',
  ROOMCELL_OUTBOX_WORKER_CLAIM_LOCK: '10s',
  ROOMCELL_LOG_LEVEL: 'info',
};

/** Servers of the run's own, whom a fault may befall. */
export interface OwnServers {
  readonly broker: BrokerControl;
  readonly database: ServerControl;
  readonly redis: ServerControl;
}

/** See the file header. */
export class Deployment {
  readonly stack: Stack;
  readonly servers: OwnServers;
  readonly fleet: Fleet;
  readonly taps: Taps;
  readonly pods: readonly Pod[];
  /** A cell that is there only while a fault has it join. */
  readonly spare: Pod;
  private readonly watchdog: Watchdog;

  private constructor(
    parts: Pick<Deployment, 'stack' | 'servers' | 'fleet' | 'taps' | 'pods' | 'spare'> & {
      readonly watchdog: Watchdog;
    },
  ) {
    this.stack = parts.stack;
    this.servers = parts.servers;
    this.fleet = parts.fleet;
    this.taps = parts.taps;
    this.pods = parts.pods;
    this.spare = parts.spare;
    this.watchdog = parts.watchdog;
  }

  /** Starts servers, stand-ins and pods, and waits until all are ready. */
  static async open(options: DeploymentOptions): Promise<Deployment> {
    const doors = await Promise.all(podPlans.map(openDoor));
    const spareDoor = await openDoor();
    const stack = await startStack({
      environment: { ...process.env, ROOMCELL_STACK: 'native' },
      ownServers: true,
      kafkaDoors: [...doors, spareDoor].map(({ listenPort, proxy }) => ({
        listenPort,
        advertisedPort: proxy.port,
      })),
      log: () => undefined,
      stopOnSignals: false,
      signal: options.signal,
    });
    // The folder is the watchdog's own: what it removes must be nobody else's.
    const watchdog = startWatchdog(mkdtempSync(join(tmpdir(), 'roomcell-chaos-')));
    const servers = serversOf(stack);
    const fleet = await Fleet.open('chaos', settings, stack.env);
    const taps = await openTaps(fleet);
    const around = { fleet, taps, stack, watchdog, options };
    const pods: Pod[] = [];
    for (const [at, plan] of podPlans.entries()) {
      pods.push(await makePod(around, plan, doors[at] as Door));
    }
    const spare = await makePod(around, sparePlan, spareDoor);
    const deployment = new Deployment({ stack, servers, fleet, taps, pods, spare, watchdog });
    try {
      const logFile = join(options.logFolder, 'sandbox.log');
      const sandbox = await fleet.start('sandbox', ['sandbox'], { logFile });
      if (sandbox.pid !== undefined) watchdog.watch(sandbox.pid);
      await sandbox.ready();
      await Promise.all(pods.map((pod) => pod.start()));
    } catch (error) {
      await deployment.close();
      throw error;
    }
    return deployment;
  }

  /** Pods of one role. */
  podsOf(role: Pod['roles'][number]): readonly Pod[] {
    return this.pods.filter(({ roles }) => roles.includes(role));
  }

  /** Links and servers are whole again; processes are the pods' affair. */
  async heal(): Promise<void> {
    const { broker, database, redis } = this.servers;
    for (const server of [broker, database, redis]) {
      server.thaw();
      await server.start();
    }
    for (const pod of this.pods) await healLinks(pod.links);
  }

  /** Ends every pod as a crash does, so that what is read afterwards stands still. */
  async kill(): Promise<void> {
    await Promise.all([...this.pods, this.spare].map((pod) => pod.end()));
  }

  /** Ends everything. */
  async close(): Promise<void> {
    const { broker, database, redis } = this.servers;
    for (const server of [broker, database, redis]) server.thaw();
    await this.fleet.close().catch(() => undefined);
    await this.taps.close();
    for (const pod of [...this.pods, this.spare]) await closeLinks(pod.links);
    await this.stack.stop();
    await this.watchdog.dismiss();
  }
}

interface Door {
  readonly listenPort: number;
  readonly proxy: TcpProxy;
}

/** A client of the broker goes on where the broker says: each door has to be known at its start. */
async function openDoor(): Promise<Door> {
  const listenPort = await freePort();
  return { listenPort, proxy: await startTcpProxy({ targetPort: listenPort }) };
}

function serversOf({ kafka, mysqlServer, redisServer }: Stack): OwnServers {
  if (kafka === undefined || mysqlServer === undefined || redisServer === undefined) {
    throw new Error('a stack of own servers lacks the control of one');
  }
  return { broker: kafka, database: mysqlServer, redis: redisServer };
}

interface PodGround {
  readonly fleet: Fleet;
  readonly taps: Taps;
  readonly stack: Stack;
  readonly watchdog: Watchdog;
  readonly options: DeploymentOptions;
}

async function makePod(around: PodGround, plan: PodPlan, door: Door): Promise<Pod> {
  const { fleet, taps, stack, watchdog, options } = around;
  const redisUrl = new URL(stack.redis.url);
  const start = async (pod: Pod): Promise<RoleProcess> => {
    const isAdapter = pod.roles.length > 1;
    const started = await fleet.start(pod.name, pod.roles, {
      env: { ...envOfLinks(pod.links), ...(isAdapter ? taps.env : {}) },
      logFile: join(options.logFolder, `${pod.name}.log`),
      ...(options.programRoot === undefined || isAdapter ? {} : { root: options.programRoot }),
    });
    if (started.pid !== undefined) watchdog.watch(started.pid);
    void started.exited.then(() => {
      if (started.pid !== undefined) watchdog.forget(started.pid);
    });
    if (pod.roles.includes('gateway')) pod.client = fleet.connect(started);
    return started;
  };
  const links = await openLinks(door.proxy, {
    kafkaPort: door.listenPort,
    mysql: stack.mysql,
    redis: { host: redisUrl.hostname, port: Number(redisUrl.port) },
    walletPort: fleet.walletProxy.port,
  });
  return new Pod(plan, links, start);
}
