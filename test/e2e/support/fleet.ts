/**
 * A small fleet of real processes on the real stack, for one test file: own database, keys, topics
 * and ports; MySQL, Redis and the wallet behind proxies of its own. Whatever the fleet started it
 * ends.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { createGrpcClient, type GrpcClient } from '../../../src/drivers/grpc/grpc-client.ts';
import { RoomAdmin } from '../../../src/drivers/grpc/generated/roomcell/v1/room_admin_pb.ts';
import { RoomCommands } from '../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { RoomQueries } from '../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { issueDevelopmentToken } from '../../../src/drivers/jwt/development-token.ts';
import { createSystemClock } from '../../../src/drivers/system/system-clock.ts';
import { projectRoot } from '../../../src/main/project-root.ts';
import { roleNames, type RoleName } from '../../../src/main/role.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import { openTestSpace, type TestSpace } from '../../support/stack-env.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { hostileModeOf } from '../processes/hostile-modes.ts';
import { ownPorts } from './own-ports.ts';
import { RoleProcess } from './role-process.ts';

const root = projectRoot();
const jwtSecret = 'a secret of tests, long enough for HS256';

/** The app that a fleet serves. */
export const fleetApp = 'demo';

/** A crash or a freeze at a named point of the code. */
export interface FaultAt {
  readonly point: TracePoint;
  readonly pass: number;
  readonly action: 'kill' | 'stop';
  /** Passes count only once the test has called `arm` with this name. */
  readonly armedBy?: string;
  /** Only passes for this one count; see `Trace`. */
  readonly about?: string;
}

/** A gateway's clients, with a token of one user per call. */
export interface FleetClient {
  readonly commands: GrpcClient<typeof RoomCommands>['calls'];
  readonly queries: GrpcClient<typeof RoomQueries>['calls'];
  readonly watches: GrpcClient<typeof RoomQueries>['streams'];
  readonly admin: GrpcClient<typeof RoomAdmin>['calls'];
  close(): void;
}

/** Where the sandbox listens. */
type SandboxPorts = Readonly<Record<'im' | 'activity' | 'control' | 'wallet' | 'rtc', number>>;

/** See the file header. */
export class Fleet {
  readonly space: TestSpace;
  readonly mysqlProxy: TcpProxy;
  readonly redisProxy: TcpProxy;
  /** Between the cells and the sandbox's wallet. */
  readonly walletProxy: TcpProxy;
  private readonly folder = mkdtempSync(join(tmpdir(), 'roomcell-fleet-'));
  /** Every process that was started, ended ones too, in the order of their starts. */
  readonly processes: RoleProcess[] = [];
  private readonly clients: FleetClient[] = [];
  private readonly env: Record<string, string>;
  private database: mysql.Connection | null = null;
  /** Every process of this release runs in this mode; null: as usual. */
  private readonly hostile = hostileModeOf(process.env);

  private constructor(
    space: TestSpace,
    proxies: Readonly<Record<'mysql' | 'redis' | 'wallet', TcpProxy>>,
    env: Readonly<Record<string, string>>,
    ports: SandboxPorts,
  ) {
    this.space = space;
    this.mysqlProxy = proxies.mysql;
    this.redisProxy = proxies.redis;
    this.walletProxy = proxies.wallet;
    const { im, activity, control, wallet, rtc } = ports;
    this.env = {
      ...space.env,
      ROOMCELL_MYSQL_HOST: '127.0.0.1',
      ROOMCELL_MYSQL_PORT: String(proxies.mysql.port),
      ROOMCELL_REDIS_URL: `redis://127.0.0.1:${proxies.redis.port}`,
      ROOMCELL_KAFKA_TOPIC_PREFIX: space.topic('room'),
      ROOMCELL_KAFKA_SESSION_TIMEOUT: '6s',
      ROOMCELL_AUTH_HS256_SECRET: jwtSecret,
      ROOMCELL_DEPLOYMENT_SECRET: 'a deployment secret of tests, 32 bytes',
      ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: 'a secret key of tests',
      ROOMCELL_TENCENT_IM_APPS_DEMO_BASE_URL: `http://127.0.0.1:${im}`,
      ROOMCELL_RTC_APPS_DEMO_API_URL: `http://127.0.0.1:${rtc}`,
      ROOMCELL_RTC_APPS_DEMO_API_SECRET_ID: 'an account of tests',
      ROOMCELL_RTC_APPS_DEMO_API_SECRET_KEY: 'a secret key of tests',
      ROOMCELL_SANDBOX_RTC_LISTEN: `127.0.0.1:${rtc}`,
      ROOMCELL_ACTIVITY_ADDR: `127.0.0.1:${activity}`,
      ROOMCELL_WALLET_ADDR: `127.0.0.1:${proxies.wallet.port}`,
      ROOMCELL_LUCKY_GIFT_ADDR: `127.0.0.1:${proxies.wallet.port}`,
      ROOMCELL_SANDBOX_IM_LISTEN: `127.0.0.1:${im}`,
      ROOMCELL_SANDBOX_ACTIVITY_LISTEN: `127.0.0.1:${activity}`,
      ROOMCELL_SANDBOX_CONTROL_LISTEN: `127.0.0.1:${control}`,
      ROOMCELL_SANDBOX_WALLET_LISTEN: `127.0.0.1:${wallet}`,
      ...env,
    };
  }

  /** Opens an empty fleet; call it in `beforeAll` and `close()` in `afterAll`. */
  static async open(
    label: string,
    env: Readonly<Record<string, string>> = {},
    /** Names the servers, as ROOMCELL_… variables. */
    stackEnv: Readonly<Record<string, string | undefined>> = process.env,
  ): Promise<Fleet> {
    const space = await openTestSpace(label, stackEnv);
    const redisUrl = new URL(space.redis.url);
    const [im = 0, activity = 0, control = 0, wallet = 0, rtc = 0] = await ownPorts(5);
    // A door that refuses does not listen: another file must not be given its port meanwhile.
    const [mysqlDoor = 0, redisDoor = 0, walletDoor = 0] = await ownPorts(3);
    const { host: targetHost, port: targetPort } = space.mysql;
    const proxies = {
      mysql: await startTcpProxy({ targetHost, targetPort, listenPort: mysqlDoor }),
      redis: await startTcpProxy({
        targetPort: Number(redisUrl.port),
        targetHost: redisUrl.hostname,
        listenPort: redisDoor,
      }),
      wallet: await startTcpProxy({ targetPort: wallet, listenPort: walletDoor }),
    };
    return new Fleet(space, proxies, env, { im, activity, control, wallet, rtc });
  }

  /** Address of the sandbox's own record. */
  get sandboxControl(): string {
    return `http://${this.env['ROOMCELL_SANDBOX_CONTROL_LISTEN'] ?? ''}`;
  }

  /** Where the sandbox takes what adapters send: IM's base URL, the activity service's address. */
  get sandboxAddresses(): { readonly im: string; readonly activity: string } {
    const { ROOMCELL_SANDBOX_IM_LISTEN: im, ROOMCELL_SANDBOX_ACTIVITY_LISTEN: activity } = this.env;
    return { im: `http://${im ?? ''}`, activity: activity ?? '' };
  }

  /** Starts roles in one process; does not wait for readiness. */
  async start(
    name: string,
    roles: readonly RoleName[],
    options: {
      readonly faultAt?: FaultAt;
      readonly env?: Readonly<Record<string, string>>;
      /** Folder of another release's program. Default: this one's. */
      readonly root?: string;
      /** Where everything that it writes is kept. Default: in memory only. */
      readonly logFile?: string;
    } = {},
  ): Promise<RoleProcess> {
    const [opsPort = 0, grpcPort = 0] = await ownPorts(2);
    const { faultAt } = options;
    // Without a fault the product's own command line runs; some roles of many need the other door.
    const words = roles.length === roleNames.length ? ['all'] : roles;
    const plain = faultAt === undefined && words.length === 1 && this.hostile === null;
    const script = plain ? 'src/main/cli.js' : 'test/e2e/processes/roles-with-faults.js';
    const started = new RoleProcess({
      name,
      script: join(options.root ?? root, 'dist', script),
      args: plain ? words : roles,
      opsPort,
      grpcPort,
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
      env: {
        ...this.env,
        ROOMCELL_NODE_ID: name,
        ROOMCELL_OPS_LISTEN: `127.0.0.1:${opsPort}`,
        ROOMCELL_GATEWAY_GRPC_LISTEN: `127.0.0.1:${grpcPort}`,
        ROOMCELL_ADVERTISE_ADDR: '127.0.0.1:0',
        FAULT_AT: faultAt === undefined ? 'gateway.before_produce:0:kill' : faultText(faultAt),
        FAULT_ARMED: faultAt?.armedBy === undefined ? '' : this.armFile(faultAt.armedBy),
        FAULT_ABOUT: faultAt?.about ?? '',
        HOSTILE_MODE: this.hostile?.name ?? '',
        ...this.hostile?.env,
        ...options.env,
      },
    });
    this.processes.push(started);
    return started;
  }

  /** Runs one command of the operators' command line; resolves with its exit code. */
  async roomcell(...args: readonly string[]): Promise<number | null> {
    const script = join(root, 'dist', 'src/main/cli.js');
    const where = { env: this.env, opsPort: 0, grpcPort: 0 };
    const started = new RoleProcess({ name: 'operator', script, args, ...where });
    this.processes.push(started);
    return (await started.exited).code;
  }

  /** Lets passes of faults that wait for `name` count from now on. */
  arm(name: string): void {
    writeFileSync(this.armFile(name), '');
  }

  /** Clients of a gateway process. */
  connect(gateway: RoleProcess): FleetClient {
    const address = `127.0.0.1:${gateway.grpcPort}`;
    const commands = createGrpcClient(RoomCommands, address, createSystemClock());
    const queries = createGrpcClient(RoomQueries, address, createSystemClock());
    const admin = createGrpcClient(RoomAdmin, address, createSystemClock());
    const client = {
      commands: commands.calls,
      queries: queries.calls,
      watches: queries.streams,
      admin: admin.calls,
      close: () => {
        commands.close();
        queries.close();
        admin.close();
      },
    };
    this.clients.push(client);
    return client;
  }

  /** A token of one user of the fleet's app; `other` bends one of its claims. */
  token(
    userId: string,
    role: 'user' | 'service' | 'operator' = 'user',
    other: { readonly appCode?: string; readonly validMs?: number; readonly secret?: string } = {},
  ): Promise<string> {
    const { appCode = fleetApp, validMs = 3_600_000, secret = jwtSecret } = other;
    const caller = { appCode, subject: userId, role };
    return issueDevelopmentToken(secret, caller, validMs, createSystemClock());
  }

  /** One statement past the proxy: what an observer sees. */
  async sql(
    text: string,
    values: readonly (string | number)[] = [],
  ): Promise<mysql.RowDataPacket[]> {
    this.database ??= await mysql.createConnection({
      ...this.space.mysql,
      supportBigNumbers: true,
      bigNumberStrings: true,
    });
    const [rows] = await this.database.query<mysql.RowDataPacket[]>(text, [...values]);
    return rows;
  }

  /** Ends every process, thawing frozen ones first, and gives everything back. */
  async close(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const started of this.processes) {
      started.thaw();
      await started.kill();
    }
    await this.database?.end();
    await this.mysqlProxy.close();
    await this.redisProxy.close();
    await this.walletProxy.close();
    await this.space.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private armFile(name: string): string {
    return join(this.folder, `armed-${name}`);
  }
}

function faultText({ point, pass, action }: FaultAt): string {
  return `${point}:${pass}:${action}`;
}
