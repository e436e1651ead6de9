/**
 * What must hold between keys. Each relation names the keys it judges; it is skipped when one of
 * them is faulty by itself, so that no fault hides or invents another.
 */
import { formatDuration } from '../../kernel/duration.ts';
import type { RoleName } from '../role.ts';
import { appFaults, knownSecretFault, knownSecretPrefix } from './app-relations.ts';
import type { Circumstances } from './circumstances.ts';
import {
  isAddress,
  isLoopback,
  isPrivate,
  isWildcard,
  ownAddressName,
  splitAddress,
} from './addresses.ts';
import type { RoomcellConfig } from './config-schema.ts';
import { displayRelations } from './display-relations.ts';
import { variableOf } from './field-tree.ts';

interface Relation {
  readonly keys: readonly string[];
  /** The fault's sentence (its key is put before it), or null. */
  readonly judge: (config: RoomcellConfig, around: Circumstances) => string | null;
}

/** The faults of all relations whose keys are sound. */
export function brokenRelations(
  config: RoomcellConfig,
  faultyKeys: ReadonlySet<string>,
  around: Circumstances,
): string[] {
  const faults: string[] = [];
  for (const relation of relations) {
    if (relation.keys.some((key) => faultyKeys.has(key))) continue;
    const sentence = relation.judge(config, around);
    if (sentence !== null) faults.push(`${relation.keys[0] ?? ''}: ${sentence}`);
  }
  return [...faults, ...appFaults(config, faultyKeys, around)];
}

/** Says that `first` must not be longer than `second` by more than the factor allows. */
function notAbove(
  keys: readonly [string, string],
  pick: (config: RoomcellConfig) => readonly [number, number],
  factor: { readonly times: number; readonly words: string },
  show: (value: number) => string,
): Relation {
  return {
    keys,
    judge: (config) => {
      const [first, second] = pick(config);
      if (first * factor.times <= second) return null;
      return `is ${show(first)}, but must be at most ${factor.words} (${show(second)})`;
    },
  };
}

/** Says that each adapter's share of a rate of an app must not be below one call a second. */
function sharedOut(rateKey: string, rateOf: (config: RoomcellConfig) => number): Relation {
  return {
    keys: ['tencent_im.adapters', rateKey],
    judge: (config) => {
      const { adapters } = config.tencentIm;
      const rate = rateOf(config);
      if (adapters <= rate) return null;
      return (
        `is ${adapters}, so that an adapter would have less than one call of ` +
        `${rateKey} (${rate}) a second`
      );
    },
  };
}

const once = (key: string) => ({ times: 1, words: key });
const third = (key: string) => ({ times: 3, words: `a third of ${key}` });
const inTime = formatDuration;
const inCount = String;

const relations: readonly Relation[] = [
  notAbove(
    ['lease_renew_after', 'lease_ttl'],
    (config) => [config.leaseRenewAfterMs, config.leaseTtlMs],
    third('lease_ttl'),
    inTime,
  ),
  notAbove(
    ['cell.lease_budget', 'lease_ttl'],
    (config) => [config.cell.leaseBudgetMs, config.leaseTtlMs],
    third('lease_ttl'),
    inTime,
  ),
  notAbove(
    ['kafka.heartbeat_interval', 'kafka.session_timeout'],
    (config) => [config.kafka.heartbeatIntervalMs, config.kafka.sessionTimeoutMs],
    third('kafka.session_timeout'),
    inTime,
  ),
  notAbove(
    ['kafka.session_timeout', 'kafka.rebalance_timeout'],
    (config) => [config.kafka.sessionTimeoutMs, config.kafka.rebalanceTimeoutMs],
    once('kafka.rebalance_timeout'),
    inTime,
  ),
  notAbove(
    ['kafka.min_insync_replicas', 'kafka.replication_factor'],
    (config) => [config.kafka.minInsyncReplicas, config.kafka.replicationFactor],
    once('kafka.replication_factor'),
    inCount,
  ),
  notAbove(
    ['outbox_worker.initial_backoff', 'outbox_worker.max_backoff'],
    (config) => [config.outboxWorker.initialBackoffMs, config.outboxWorker.maxBackoffMs],
    once('outbox_worker.max_backoff'),
    inTime,
  ),
  notAbove(
    ['outbox_worker.run_size', 'outbox_worker.batch_size'],
    (config) => [config.outboxWorker.runSize, config.outboxWorker.batchSize],
    once('outbox_worker.batch_size'),
    inCount,
  ),
  {
    // A run is sent row by row, each within publish_timeout; half the lock is left for its wait in
    // the topic. Otherwise rows are claimed again while their first claim is still being sent.
    keys: ['outbox_worker.claim_lock', 'outbox_worker.run_size', 'outbox_worker.publish_timeout'],
    judge: ({ outboxWorker: { claimLockMs, runSize, publishTimeoutMs } }) => {
      const leastMs = 2 * runSize * publishTimeoutMs;
      if (claimLockMs > leastMs) return null;
      return (
        `is ${inTime(claimLockMs)}, but must be longer than 2 × outbox_worker.run_size × ` +
        `outbox_worker.publish_timeout (${inTime(leastMs)})`
      );
    },
  },
  notAbove(
    ['gateway.default_deadline', 'gateway.max_deadline'],
    (config) => [config.gateway.defaultDeadlineMs, config.gateway.maxDeadlineMs],
    once('gateway.max_deadline'),
    inTime,
  ),
  notAbove(
    ['gateway.room_window', 'gateway.pending_calls_max'],
    (config) => [config.gateway.roomWindow, config.gateway.pendingCallsMax],
    once('gateway.pending_calls_max'),
    inCount,
  ),
  {
    keys: ['cell.partition_low_water', 'cell.partition_high_water'],
    judge: ({ cell: { partitionLowWater, partitionHighWater } }) =>
      partitionLowWater < partitionHighWater
        ? null
        : `is ${partitionLowWater}, but must be below cell.partition_high_water ` +
          `(${partitionHighWater})`,
  },
  notAbove(
    ['cell.batch_bytes_max', 'cell.intake_bytes_max'],
    (config) => [config.cell.batchBytesMax, config.cell.intakeBytesMax],
    once('cell.intake_bytes_max'),
    inCount,
  ),
  notAbove(
    ['cell.room_queue_max', 'cell.partition_high_water'],
    (config) => [config.cell.roomQueueMax, config.cell.partitionHighWater],
    once('cell.partition_high_water'),
    inCount,
  ),
  {
    keys: ['auth.mode', 'gateway.grpc_listen'],
    judge: ({ auth, gateway }) => {
      if (auth.mode !== 'off') return null;
      if (isLoopback(splitAddress(gateway.grpcListen)?.host ?? '')) return null;
      return `is off, so gateway.grpc_listen must be a loopback address, not ${gateway.grpcListen}`;
    },
  },
  {
    keys: ['auth.mode', 'auth.jwks_file', 'auth.jwks_url'],
    judge: ({ auth }) => {
      const given = [auth.jwksFile, auth.jwksUrl].filter((source) => source !== '').length;
      if (auth.mode === 'jwks' && given !== 1) {
        return 'is jwks, so exactly one of auth.jwks_file and auth.jwks_url must be set';
      }
      return auth.mode !== 'jwks' && given > 0
        ? `is ${auth.mode}, so auth.jwks_file and auth.jwks_url must not be set`
        : null;
    },
  },
  neededSecret('auth.hs256_secret', {
    isNeeded: (config, roles) => config.auth.mode === 'hs256' && roles.includes('gateway'),
    value: (config) => config.auth.hs256Secret,
    why: 'auth.mode is hs256',
  }),
  neededSecret('deployment_secret', {
    isNeeded: (config, roles) =>
      roles.includes('gateway') ||
      (config.environment === 'production' &&
        (roles.includes('cell') || (roles.includes('adapter-im') && asksOwners(config)))),
    value: (config) => config.deploymentSecret,
    why: 'salts of room passwords, and what nodes know one another by, are derived from it',
  }),
  noKnownSecret('mysql.password', (config) => config.mysql.password),
  noKnownSecret('redis.password', (config) => config.redis.password),
  noKnownSecret('auth.hs256_secret', (config) => config.auth.hs256Secret),
  noKnownSecret('deployment_secret', (config) => config.deploymentSecret),
  ...displayRelations,
  {
    keys: ['redis.url'],
    judge: ({ redis }) =>
      passwordIn(redis.url)
        ? 'holds a password; put it into ROOMCELL_REDIS_PASSWORD instead'
        : null,
  },
  {
    keys: ['activity.addr'],
    judge: ({ activity }, { roles }) =>
      activity.addr === '' && roles.includes('adapter-activity')
        ? 'is missing; adapter-activity would have nobody to deliver to'
        : null,
  },
  {
    // GIFT-8: the room waits for the wallet; its lease must outlive several tries.
    keys: ['wallet.timeout', 'lease_ttl', 'wallet.addr'],
    judge: ({ wallet, leaseTtlMs }) =>
      wallet.addr === '' || wallet.timeoutMs * 3 <= leaseTtlMs
        ? null
        : `is ${inTime(wallet.timeoutMs)}, but must be at most a third of lease_ttl ` +
          `(${inTime(leaseTtlMs)})`,
  },
  {
    keys: ['environment'],
    judge: ({ environment }, { roles }) =>
      environment === 'production' && roles.includes('sandbox')
        ? 'is production, where the sandbox must not run'
        : null,
  },
  {
    keys: ['drivers', 'environment'],
    judge: ({ drivers, environment }) =>
      drivers === 'embedded' && environment === 'production'
        ? 'is embedded, which keeps nothing; environment: production needs servers'
        : null,
  },
  sharedOut('tencent_im.calls_per_second', ({ tencentIm }) => tencentIm.callsPerSecond),
  sharedOut('rtc.calls_per_second', ({ rtc }) => rtc.callsPerSecond),
  {
    // Each process has twins of its own, so roles in several processes would never meet.
    keys: ['drivers'],
    judge: ({ drivers }, { roles }) =>
      drivers === 'embedded' && roles.length === 1
        ? `is embedded, so ${roles.join()} alone would meet nobody; run \`roomcell all\``
        : null,
  },
  neededServer('kafka.brokers', ({ kafka }) => kafka.brokers.length > 0),
  neededServer('mysql.host', ({ mysql }) => mysql.host !== ''),
  neededServer('mysql.user', ({ mysql }) => mysql.user !== ''),
  neededServer('redis.url', ({ redis }) => redis.url !== ''),
  { keys: ['advertise_addr', 'environment'], judge: advertiseFault },
  {
    keys: [
      'gateway.grpc_listen',
      'advertise_addr',
      'ops.listen',
      'sandbox.im_listen',
      'sandbox.rtc_listen',
      'sandbox.activity_listen',
      'sandbox.wallet_listen',
      'sandbox.control_listen',
    ],
    judge: sharedListenFault,
  },
];

function neededSecret(
  key: string,
  rule: {
    readonly isNeeded: (config: RoomcellConfig, roles: readonly RoleName[]) => boolean;
    readonly value: (config: RoomcellConfig) => string;
    readonly why: string;
  },
): Relation {
  return {
    keys: [key],
    judge: (config, { roles }) => {
      if (!rule.isNeeded(config, roles) || rule.value(config) !== '') return null;
      const variable = variableOf(key.split('.'));
      return `is missing (${rule.why}); set ${variable} or ${variable}_FILE`;
    },
  };
}

/** Embedded drivers need no server; whoever wants servers names each of them. */
function neededServer(key: string, isNamed: (config: RoomcellConfig) => boolean): Relation {
  return {
    keys: [key, 'drivers'],
    judge: (config) =>
      config.drivers === 'embedded' || isNamed(config)
        ? null
        : `is missing; name it in the file or in ${variableOf(key.split('.'))}`,
  };
}

function noKnownSecret(key: string, value: (config: RoomcellConfig) => string): Relation {
  return {
    keys: [key, 'environment'],
    judge: (config) =>
      config.environment === 'production' && value(config).startsWith(knownSecretPrefix)
        ? knownSecretFault
        : null,
  };
}

function passwordIn(url: string): boolean {
  try {
    return new URL(url).password !== '';
  } catch {
    // Not a URL after all: then nothing in it is a password; the driver names the fault.
    return false;
  }
}

/** Section 3: a private address of this instance, or loopback in development. Cells need one. */
function advertiseFault(config: RoomcellConfig, around: Circumstances): string | null {
  const { advertiseAddr, environment } = config;
  if (advertiseAddr === '') {
    return around.roles.includes('cell')
      ? 'is missing; a cell must name the private address at which other nodes reach it'
      : null;
  }
  const address = splitAddress(advertiseAddr);
  if (address === null) return `is ${advertiseAddr}, which names no port`;
  const { host, port } = address;
  if (isWildcard(host)) {
    return `is ${advertiseAddr}, which means every address; name the one of this instance`;
  }
  // There the bound port, and with `self` the bound address, are what others are told.
  if (environment === 'development' && (isLoopback(host) || host === ownAddressName)) return null;
  if (port === 0) return `is ${advertiseAddr}, which names no port`;
  if (isLoopback(host)) return `is ${advertiseAddr}, which other nodes cannot reach`;
  if (!isAddress(host)) {
    return `is ${advertiseAddr}, a name; it may lead to a load balancer, so name the address itself`;
  }
  if (!isPrivate(host)) {
    return `is ${advertiseAddr}, which is public; owner reads go to one instance's private address`;
  }
  if (around.localAddresses !== null && !around.localAddresses.includes(host)) {
    return `is ${advertiseAddr}, which is no address of this machine (a load balancer's?)`;
  }
  return null;
}

/** Roles of one process cannot listen at one address; port 0 means any free one. */
function sharedListenFault(config: RoomcellConfig, { roles }: Circumstances): string | null {
  const listens: (readonly [string, string])[] = [['ops.listen', config.ops.listen]];
  if (roles.includes('gateway')) {
    listens.push(['gateway.grpc_listen', config.gateway.grpcListen]);
    if (config.rtc.callbackListen !== '') {
      listens.push(['rtc.callback_listen', config.rtc.callbackListen]);
    }
  }
  if (roles.includes('cell')) listens.push(['advertise_addr', config.advertiseAddr]);
  if (roles.includes('sandbox')) {
    listens.push(['sandbox.im_listen', config.sandbox.imListen]);
    listens.push(['sandbox.rtc_listen', config.sandbox.rtcListen]);
    listens.push(['sandbox.activity_listen', config.sandbox.activityListen]);
    listens.push(['sandbox.wallet_listen', config.sandbox.walletListen]);
    listens.push(['sandbox.control_listen', config.sandbox.controlListen]);
  }
  for (const [at, [key, address]] of listens.entries()) {
    const other = listens.slice(0, at).find((entry) => entry[1] === address);
    if (other !== undefined && splitAddress(address)?.port !== 0) {
      return `${key} and ${other[0]} are both ${address}`;
    }
  }
  return null;
}

/** Whether adapters ask cells, before they put users out of RTC or ban them from groups. */
function asksOwners({ rtc, tencentIm }: RoomcellConfig): boolean {
  return rtc.apps.size > 0 || [...tencentIm.apps.values()].some(({ banMembers }) => banMembers);
}
