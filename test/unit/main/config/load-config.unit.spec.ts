/** The configuration is read whole, typed, and refused with every fault at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { effectiveConfigYaml } from '../../../../src/main/config/effective-config.ts';
import { keyTable } from '../../../../src/main/config/key-table.ts';
import { loadConfig, type LoadRequest } from '../../../../src/main/config/load-config.ts';
import { roleNames } from '../../../../src/main/role.ts';

const folder = mkdtempSync(join(tmpdir(), 'roomcell-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let fileCount = 0;
function fileWith(content: string): string {
  fileCount += 1;
  const file = join(folder, `case-${fileCount}.yaml`);
  writeFileSync(file, content);
  return file;
}

const leastYaml = `
environment: development
lease_ttl: '15s'
kafka: { brokers: ['127.0.0.1:9092'], replication_factor: 1, min_insync_replicas: 1 }
mysql: { host: 127.0.0.1, user: root }
redis: { url: 'redis://127.0.0.1:6379' }
`;

function load(yaml: string, rest: Partial<Omit<LoadRequest, 'file'>> = {}) {
  return loadConfig({ file: fileWith(yaml), env: {}, ...rest });
}

function faultsOf(yaml: string, rest: Partial<Omit<LoadRequest, 'file'>> = {}): string[] {
  const loaded = load(yaml, rest);
  return loaded.ok ? [] : loaded.faults;
}

function configOf(yaml: string, rest: Partial<Omit<LoadRequest, 'file'>> = {}) {
  const loaded = load(yaml, rest);
  if (!loaded.ok) throw new Error(`unexpected faults: ${loaded.faults.join('\n')}`);
  return loaded.config;
}

const secrets = {
  ROOMCELL_AUTH_HS256_SECRET: 'a-secret-of-at-least-thirty-two-bytes',
  ROOMCELL_DEPLOYMENT_SECRET: 'another-secret-of-at-least-32-bytes!',
  ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: 'sixteen-bytes-or-more',
};

describe('a sound configuration', () => {
  it('is typed, with durations in milliseconds and names in camel case', () => {
    const config = configOf(`${leastYaml}\noutbox_worker: { poll_interval: '1m' }`);
    expect(config.outboxWorker.pollIntervalMs).toBe(60_000);
    expect(config.leaseTtlMs).toBe(15_000);
    expect(config.kafka.brokers).toEqual(['127.0.0.1:9092']);
  });

  it('has the defaults of the seeds for the outbox worker', () => {
    expect(configOf(leastYaml).outboxWorker).toMatchObject({
      enabled: true,
      pollIntervalMs: 1_000,
      batchSize: 100,
      publishTimeoutMs: 3_000,
      retryStrategy: 'exponential_backoff',
      maxRetryCount: 10,
      initialBackoffMs: 5_000,
      maxBackoffMs: 300_000,
    });
  });

  it.each([
    ['absent', '', 1],
    ['zero', 'snapshot_every_n: 0', 1],
    ['negative', 'snapshot_every_n: -3', 1],
    ['ten', 'snapshot_every_n: 10', 10],
  ])('makes a snapshot every version when snapshot_every_n is %s', (_, line, expected) => {
    expect(configOf(`${leastYaml}\n${line}`).snapshotEveryN).toBe(expected);
  });

  it('means the default where the seeds say that a value not above zero does', () => {
    const lines = `rank_limit: 0\npresence_stale_after: '0s'\nmic_publish_timeout: '-5s'`;
    const config = configOf(`${leastYaml}\n${lines}`);
    expect(config.rankLimit).toBe(20);
    expect(config.presenceStaleAfterMs).toBe(120_000);
    expect(config.micPublishTimeoutMs).toBe(15_000);
  });

  it('lets a variable win over the file, for every kind of key', () => {
    const config = configOf(leastYaml, {
      env: {
        ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL: '250ms',
        ROOMCELL_OUTBOX_WORKER_ENABLED: 'false',
        ROOMCELL_OUTBOX_WORKER_BATCH_SIZE: '7',
        ROOMCELL_OUTBOX_WORKER_RUN_SIZE: '7',
        ROOMCELL_KAFKA_BROKERS: 'a:1, b:2',
        ROOMCELL_NODE_ID: 'cell-3',
        ROOMCELL_LOG_LEVEL: 'debug',
      },
    });
    expect(config.outboxWorker).toMatchObject({
      pollIntervalMs: 250,
      enabled: false,
      batchSize: 7,
    });
    expect(config.kafka.brokers).toEqual(['a:1', 'b:2']);
    expect(config.nodeId).toBe('cell-3');
    expect(config.log.level).toBe('debug');
  });

  it('reads a secret from the file that its variable names, without the last newline', () => {
    const secretFile = fileWith('a-secret-of-at-least-thirty-two-bytes\n');
    const config = configOf(leastYaml, { env: { ROOMCELL_AUTH_HS256_SECRET_FILE: secretFile } });
    expect(config.auth.hs256Secret).toBe('a-secret-of-at-least-thirty-two-bytes');
  });

  it('never shows a secret', () => {
    const env = { ...secrets, ROOMCELL_MYSQL_PASSWORD: 'hunter2hunter2' };
    const yaml = `${leastYaml}\n${demoApp}`;
    const shown = effectiveConfigYaml(configOf(yaml, { env }));
    for (const secret of Object.values(env)) expect(shown).not.toContain(secret);
    expect(shown).toContain('hs256_secret: (set)');
    expect(shown).toContain('secret_key: (set)');
  });

  it('gives every key a variable of its own', () => {
    const variables = keyTable().map((row) => row.variable);
    expect(new Set(variables).size).toBe(variables.length);
  });
});

const demoApp = `
tencent_im:
  apps:
    demo: { sdk_app_id: 1400000001, base_url: 'http://127.0.0.1:7410' }
`;

describe('the files in config/', () => {
  it('development runs every role once its secrets are set', () => {
    const loaded = loadConfig({
      file: 'config/development.yaml',
      env: secrets,
      roles: roleNames,
      localAddresses: ['127.0.0.1'],
    });
    expect(loaded.ok ? [] : loaded.faults).toEqual([]);
    expect(loaded.ok && loaded.config.snapshotEveryN).toBe(10);
  });

  it('production runs a cell once its addresses are set', () => {
    const loaded = loadConfig({
      file: 'config/production.yaml',
      env: {
        ROOMCELL_ADVERTISE_ADDR: '10.1.2.3:7400',
        ROOMCELL_KAFKA_BROKERS: 'kafka-0:9092,kafka-1:9092',
        ROOMCELL_MYSQL_HOST: 'mysql',
        ROOMCELL_MYSQL_USER: 'roomcell',
        ROOMCELL_REDIS_URL: 'redis://redis:6379',
        ROOMCELL_AUTH_JWKS_URL: 'https://issuer.example/keys',
      },
      roles: ['cell'],
    });
    expect(loaded.ok ? [] : loaded.faults).toEqual([]);
    expect(loaded.ok && loaded.config.snapshotEveryN).toBe(10);
  });
});

/** Name of the case, lines after the least configuration, and what is refused, all of it. */
const badCases: readonly (readonly [
  string,
  string,
  Partial<Omit<LoadRequest, 'file'>>,
  readonly RegExp[],
])[] = [
  ['an unknown key', 'lease_tll: 3s', {}, [/^lease_tll: is not a key/]],
  [
    'an unknown key further down',
    'outbox_worker: { batchsize: 3 }',
    {},
    [/^outbox_worker\.batchsize: is not a key/],
  ],
  [
    'an unknown variable',
    '',
    { env: { ROOMCELL_LEASE_TLL: '3s' } },
    [/^ROOMCELL_LEASE_TLL: is not the variable of any key/],
  ],
  [
    'two bad values and a broken relation at once',
    `outbox_worker: { poll_interval: '0s', retry_strategy: linear, initial_backoff: '6m' }`,
    {},
    [
      /^outbox_worker\.poll_interval: is 0s, but must lie between/,
      /^outbox_worker\.retry_strategy: is 'linear', but must be one of exponential_backoff/,
      /^outbox_worker\.initial_backoff: is 6m, but must be at most outbox_worker\.max_backoff \(5m\)/,
    ],
  ],
  [
    'a batch of no rows and a negative count',
    'outbox_worker: { batch_size: 0, max_retry_count: -1 }',
    {},
    [/^outbox_worker\.batch_size: is 0/, /^outbox_worker\.max_retry_count: is -1/],
  ],
  [
    'a bad variable, named with its key',
    '',
    { env: { ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL: '5' } },
    [/^outbox_worker\.poll_interval: 5 has no unit.*\(from ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL\)/],
  ],
  [
    'a number where a duration belongs',
    'drain_timeout: 25',
    {},
    [/^drain_timeout: must be a duration/],
  ],
  [
    'secrets in the file',
    `deployment_secret: abc\nauth: { hs256_secret: 'a-secret-of-at-least-thirty-two-bytes' }`,
    {},
    [/^deployment_secret: is a secret/, /^auth\.hs256_secret: is a secret/],
  ],
  [
    'a secret in the file even when the variable is set too',
    `auth: { hs256_secret: abc }`,
    { env: secrets },
    [/^ROOMCELL_TENCENT_IM_APPS_DEMO/, /^auth\.hs256_secret: is a secret/],
  ],
  [
    'a secret that is too short, and one named twice',
    '',
    {
      env: {
        ROOMCELL_AUTH_HS256_SECRET: 'short',
        ROOMCELL_MYSQL_PASSWORD: 'x',
        ROOMCELL_MYSQL_PASSWORD_FILE: '/nowhere',
      },
    },
    [/^auth\.hs256_secret: has 5 bytes/, /^mysql\.password: is named by both/],
  ],
  [
    'a secret file that is not there',
    '',
    { env: { ROOMCELL_MYSQL_PASSWORD_FILE: '/nowhere/at/all' } },
    [/^mysql\.password: could not be read from ROOMCELL_MYSQL_PASSWORD_FILE: ENOENT/],
  ],
  [
    'a password in the Redis URL',
    '',
    { env: { ROOMCELL_REDIS_URL: 'redis://:hunter2@127.0.0.1' } },
    [/^redis\.url: holds a password/],
  ],
  [
    'a renewal too late for the lease',
    `lease_renew_after: '6s'`,
    {},
    [/^lease_renew_after: is 6s, but must be at most a third of lease_ttl \(15s\)/],
  ],
  [
    'a claim lock that a slow run outlives',
    `outbox_worker: { claim_lock: '1m', run_size: 10, publish_timeout: '3s' }`,
    {},
    [/^outbox_worker\.claim_lock: is 1m, but must be longer than/],
  ],
  [
    'Kafka times and counts that do not fit together',
    '',
    {
      env: {
        ROOMCELL_KAFKA_HEARTBEAT_INTERVAL: '10s',
        ROOMCELL_KAFKA_REBALANCE_TIMEOUT: '5s',
        ROOMCELL_KAFKA_MIN_INSYNC_REPLICAS: '2',
        ROOMCELL_KAFKA_REPLY_PARTITIONS: '1',
      },
    },
    [
      /^kafka\.reply_partitions: is 1/,
      /^kafka\.heartbeat_interval: is 10s, but must be at most a third/,
      /^kafka\.session_timeout: is 10s, but must be at most kafka\.rebalance_timeout \(5s\)/,
      /^kafka\.min_insync_replicas: is 2/,
    ],
  ],
  [
    'authentication off beyond loopback',
    `auth: { mode: 'off' }\ngateway: { grpc_listen: '0.0.0.0:7400' }`,
    {},
    [/^auth\.mode: is off, so gateway\.grpc_listen must be a loopback address/],
  ],
  [
    'key sets where none is used, and none where one is',
    `auth: { mode: jwks }`,
    {},
    [/^auth\.mode: is jwks, so exactly one of/],
  ],
  [
    'a gateway without its secrets',
    '',
    { roles: ['gateway'] },
    [/^auth\.hs256_secret: is missing/, /^deployment_secret: is missing/],
  ],
  ['a cell that names no address', '', { roles: ['cell'] }, [/^advertise_addr: is missing/]],
  [
    'an IM adapter for nobody, an activity adapter without an address',
    '',
    { roles: ['adapter-im', 'adapter-activity'] },
    [/^activity\.addr: is missing/, /^tencent_im\.apps: names no app/],
  ],
  [
    'an IM app without its key',
    demoApp,
    { roles: ['adapter-im'] },
    [
      /^tencent_im\.apps\.demo\.secret_key: is missing; set ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY/,
    ],
  ],
  [
    'two apps that share one SdkAppId',
    `
tencent_im:
  apps:
    one: { sdk_app_id: 7, base_url: 'http://h' }
    two: { sdk_app_id: 7, base_url: 'http://h' }
`,
    {},
    [/^tencent_im\.apps\.two\.sdk_app_id: is 7, which app one has already/],
  ],
  [
    'two apps whose variables would be the same',
    `
tencent_im:
  apps:
    a-b: { sdk_app_id: 7, base_url: 'http://h' }
    a.b: { sdk_app_id: 8, base_url: 'http://h' }
`,
    {},
    [/^tencent_im\.apps\.a\.b: shares the variables .* with a-b/],
  ],
  [
    'the sandbox in production',
    '',
    { env: { ROOMCELL_ENVIRONMENT: 'production' }, roles: ['sandbox'] },
    [/^environment: is production, where the sandbox must not run/],
  ],
  [
    'two listeners at one address',
    '',
    {
      env: { ...secrets0(), ROOMCELL_OPS_LISTEN: '127.0.0.1:7400' },
      roles: ['gateway'],
    },
    [/^gateway\.grpc_listen: gateway\.grpc_listen and ops\.listen are both 127\.0\.0\.1:7400/],
  ],
];

function secrets0() {
  const { ROOMCELL_AUTH_HS256_SECRET, ROOMCELL_DEPLOYMENT_SECRET } = secrets;
  return { ROOMCELL_AUTH_HS256_SECRET, ROOMCELL_DEPLOYMENT_SECRET };
}

describe('a configuration is refused, with all its faults and no other, for', () => {
  it.each(badCases)('%s', (_, lines, rest, expected) => {
    const faults = faultsOf(`${leastYaml}\n${lines}`, rest);
    expect(faults).toHaveLength(expected.length);
    for (const pattern of expected) expect(faults).toContainEqual(expect.stringMatching(pattern));
  });

  it('everything that is missing from an empty file', () => {
    const faults = faultsOf('');
    const missing = faults.filter((fault) => fault.includes('is missing; name it'));
    expect(missing.map((fault) => fault.split(':')[0])).toEqual([
      'environment',
      'kafka.brokers',
      'mysql.host',
      'mysql.user',
      'redis.url',
      'lease_ttl',
    ]);
    expect(faults).toHaveLength(missing.length);
  });

  it('a file that is not there, not YAML, or no table of keys', () => {
    const absent = loadConfig({ file: join(folder, 'absent.yaml'), env: {} });
    expect(absent.ok ? [] : absent.faults).toEqual([
      expect.stringMatching(/absent\.yaml: could not/),
    ]);
    expect(faultsOf('a: [1, 2').length).toBeGreaterThan(0);
    expect(faultsOf(`${leastYaml}\nlease_ttl: '10s'`)[0]).toMatch(/unique/i);
    expect(faultsOf('- a list')[0]).toMatch(/^the file: must hold keys/);
  });
});

describe('advertise_addr', () => {
  it.each([
    ['0.0.0.0:7400', 'development', /which means every address/],
    ['[::]:7400', 'development', /which means every address/],
    ['127.0.0.1:7400', 'production', /which other nodes cannot reach/],
    ['8.8.8.8:7400', 'production', /which is public/],
    ['rooms.example.com:7400', 'production', /a name; it may lead to a load balancer/],
    ['10.9.9.9:7400', 'production', /no address of this machine/],
    ['10.1.2.3:0', 'production', /names no port/],
  ])('%s is refused in %s', (address, environment, expected) => {
    const faults = faultsOf(leastYaml, {
      env: { ROOMCELL_ADVERTISE_ADDR: address, ROOMCELL_ENVIRONMENT: environment },
      roles: ['cell'],
      localAddresses: ['10.1.2.3', '127.0.0.1'],
    });
    expect(faults).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ['127.0.0.2:7400', 'development'],
    ['10.1.2.3:7400', 'production'],
    ['[fd00::1]:7400', 'production'],
  ])('%s is taken in %s', (address, environment) => {
    const faults = faultsOf(leastYaml, {
      env: { ROOMCELL_ADVERTISE_ADDR: address, ROOMCELL_ENVIRONMENT: environment },
      roles: ['cell'],
      localAddresses: ['10.1.2.3', 'fd00::1'],
    });
    expect(faults).toEqual([]);
  });
});
