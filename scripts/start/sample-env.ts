/**
 * The environment of the roomcell process that `npm start` runs: the stack's addresses, ports that
 * are free, secrets made for this run. Whatever the caller's own environment names stays.
 */
import { randomBytes } from 'node:crypto';
import { sampleRocket } from '../../src/main/sample/rocket.ts';
import { canListen, freePort } from '../stack/machine.ts';
import type { AnyStack } from '../stack/stack-types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment and the addresses that follow from it. */
export interface SampleEnv {
  readonly env: Environment;
  readonly grpcAddress: string;
  readonly opsAddress: string;
  readonly imAddress: string;
  readonly controlAddress: string;
  readonly jwtSecret: string;
}

/** Ports of `config/development.yaml`. */
const usualPorts = {
  ROOMCELL_GATEWAY_GRPC_LISTEN: 7400,
  ROOMCELL_OPS_LISTEN: 7480,
  ROOMCELL_SANDBOX_IM_LISTEN: 7410,
  ROOMCELL_SANDBOX_ACTIVITY_LISTEN: 7411,
  ROOMCELL_SANDBOX_CONTROL_LISTEN: 7412,
  ROOMCELL_SANDBOX_WALLET_LISTEN: 7413,
  ROOMCELL_SANDBOX_RTC_LISTEN: 7414,
} as const;
const secretBytes = 32;
/** The silent speaker of the sample room is taken down after this; people do not wait for 15 s. */
const sampleMicPublishTimeout = '2s';

/** Nor do they wait longer than that for the boards. */
const sampleCopyInterval = '200ms';

/** `usual`: take the usual ports where they are free; otherwise always free ones. */
export async function sampleEnv(
  stack: AnyStack,
  caller: Environment,
  ports: 'usual' | 'free',
): Promise<SampleEnv> {
  const listen: Record<keyof typeof usualPorts, string> = { ...usualPorts } as never;
  for (const [name, usual] of Object.entries(usualPorts)) {
    const port = ports === 'usual' && (await canListen(usual)) ? usual : await freePort();
    listen[name as keyof typeof usualPorts] = caller[name] ?? `127.0.0.1:${port}`;
  }
  const grpc = listen.ROOMCELL_GATEWAY_GRPC_LISTEN;
  const jwtSecret =
    caller['ROOMCELL_AUTH_HS256_SECRET'] ?? randomBytes(secretBytes).toString('hex');
  const own: Record<string, string> = {
    ...listen,
    ROOMCELL_ADVERTISE_ADDR: '127.0.0.1:0',
    ROOMCELL_ACTIVITY_ADDR: listen.ROOMCELL_SANDBOX_ACTIVITY_LISTEN,
    ROOMCELL_WALLET_ADDR: listen.ROOMCELL_SANDBOX_WALLET_LISTEN,
    ROOMCELL_LUCKY_GIFT_ADDR: listen.ROOMCELL_SANDBOX_WALLET_LISTEN,
    ROOMCELL_TENCENT_IM_APPS_DEMO_BASE_URL: `http://${listen.ROOMCELL_SANDBOX_IM_LISTEN}`,
    ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: randomBytes(secretBytes).toString('hex'),
    ROOMCELL_RTC_APPS_DEMO_API_URL: `http://${listen.ROOMCELL_SANDBOX_RTC_LISTEN}`,
    ROOMCELL_RTC_APPS_DEMO_API_SECRET_ID: randomBytes(secretBytes).toString('hex'),
    ROOMCELL_RTC_APPS_DEMO_API_SECRET_KEY: randomBytes(secretBytes).toString('hex'),
    ROOMCELL_AUTH_HS256_SECRET: jwtSecret,
    ROOMCELL_DEPLOYMENT_SECRET: randomBytes(secretBytes).toString('hex'),
    ROOMCELL_MIC_PUBLISH_TIMEOUT: sampleMicPublishTimeout,
    ROOMCELL_ROCKET_AT_START: sampleRocket,
    ROOMCELL_LEADERBOARD_ENABLED: 'true',
    ROOMCELL_LEADERBOARD_COPY_INTERVAL: sampleCopyInterval,
    // A broker of somebody else may hold an earlier run's topics, which belong to another database.
    ...(stack.kind === 'given' ? { ROOMCELL_KAFKA_TOPIC_PREFIX: stack.mysql.database } : {}),
  };
  return {
    // The stack has the last word: servers that were started for this run are not left idle.
    env: { ...own, ...caller, ROOMCELL_DRIVERS: 'servers', ...stack.env },
    grpcAddress: grpc,
    opsAddress: listen.ROOMCELL_OPS_LISTEN,
    imAddress: listen.ROOMCELL_SANDBOX_IM_LISTEN,
    controlAddress: listen.ROOMCELL_SANDBOX_CONTROL_LISTEN,
    jwtSecret,
  };
}
