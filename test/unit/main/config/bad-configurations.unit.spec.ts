/** A configuration with faults is refused, with all of them at once, each with its key's name. */
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/main/config/load-config.ts';
import {
  configFolder,
  demoApp,
  gatewaySecrets,
  leastYaml,
  secrets,
  type LoadOptions,
} from '../../../support/config-cases.ts';

const cases = configFolder();
afterAll(() => cases.remove());

/** Name of the case, lines after the least configuration, and what is refused, all of it. */
const badCases: readonly (readonly [string, string, LoadOptions, readonly RegExp[]])[] = [
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
    'more adapters than calls a second to share out, and a group faster than the vendor',
    'tencent_im: { adapters: 12, calls_per_second: 10, group_messages_per_second: 41 }',
    {},
    [/^tencent_im\.adapters: is 12/, /^tencent_im\.group_messages_per_second: is 41/],
  ],
  [
    'more adapters than removals a second to share out',
    'tencent_im: { adapters: 16 }',
    {},
    [/^tencent_im\.adapters: is 16.*rtc\.calls_per_second \(15\)/],
  ],
  [
    'a gift rank longer than a room keeps, and events fewer than a gift may have targets',
    'rank_limit: 101\nlimits: { events_per_command_max: 50 }',
    {},
    [/^rank_limit: is 101/, /^limits\.events_per_command_max: is 50/],
  ],
  [
    'a fact, an unknown type and one without a message on the display lane (DIM-4)',
    'display: { by_display_lane: [RoomGiftSent, RoomUserUpdated, Foo, RoomVisibleRegionChanged] }',
    {},
    [
      /^display\.by_display_lane: .*RoomGiftSent is not repaired.*Foo is no event.*RoomVisibleRegionChanged has no message/,
    ],
  ],
  [
    'displays and facts that are together too many for a group',
    'tencent_im: { group_messages_per_second: 33 }',
    {},
    [/^display\.group_messages_per_second: is 8, but must be at most 40 together with .* \(33\)/],
  ],
  [
    'a display that nobody knows among those that are never sent',
    'display: { suppress_direct_im_event_types: [RoomUsersCameAndWent, RoomFoo] }',
    {},
    [/^display\.suppress_direct_im_event_types: names no event or display: RoomFoo/],
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
    'a batch larger than the intake may be',
    'cell: { batch_bytes_max: 4194304, intake_bytes_max: 2097152 }',
    {},
    [/^cell\.batch_bytes_max: is 4194304, but must be at most cell\.intake_bytes_max \(2097152\)/],
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
    'a wallet that may be waited for longer than the lease allows',
    `wallet: { addr: '127.0.0.1:7413', timeout: '6s' }`,
    {},
    [/^wallet\.timeout: is 6s, but must be at most a third of lease_ttl \(15s\)/],
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
    'a switch for bans that is neither on nor off',
    "tencent_im: { apps: { demo: { sdk_app_id: 7, base_url: 'http://h', ban_members: 'yes' } } }",
    {},
    [/^tencent_im\.apps\.demo\.ban_members: must be true or false, not 'yes'/],
  ],
  [
    'an IM adapter that must ask cells before it bans, and cannot say who it is',
    "tencent_im: { apps: { demo: { sdk_app_id: 7, base_url: 'http://h', ban_members: true } } }",
    {
      env: {
        ROOMCELL_ENVIRONMENT: 'production',
        ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: 'a secret key of tests',
      },
      roles: ['adapter-im'],
    },
    [/^deployment_secret: is missing/],
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
    'embedded drivers in production',
    '',
    { env: { ROOMCELL_ENVIRONMENT: 'production', ROOMCELL_DRIVERS: 'embedded' } },
    [/^drivers: is embedded, which keeps nothing; environment: production needs servers/],
  ],
  [
    'embedded drivers for one role alone',
    '',
    { env: { ROOMCELL_DRIVERS: 'embedded' }, roles: ['relay'] },
    [/^drivers: is embedded, so relay alone would meet nobody; run `roomcell all`/],
  ],
  [
    'secrets in production that docker-compose.yml shows to everybody',
    demoApp,
    {
      env: {
        ROOMCELL_ENVIRONMENT: 'production',
        ROOMCELL_MYSQL_PASSWORD: 'development-only-mysql',
        ROOMCELL_REDIS_PASSWORD: 'development-only-redis',
        ROOMCELL_AUTH_HS256_SECRET: 'development-only-token-key-of-32-bytes',
        ROOMCELL_DEPLOYMENT_SECRET: 'development-only-deployment-secret',
        ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: 'development-only-tencent-im',
      },
    },
    [
      /^mysql\.password: begins with development-only-/,
      /^redis\.password: begins with/,
      /^auth\.hs256_secret: begins with/,
      /^deployment_secret: begins with/,
      /^tencent_im\.apps\.demo\.secret_key: begins with/,
    ],
  ],
  [
    'a sandbox whose wallet listens where its control interface does',
    '',
    { env: { ROOMCELL_SANDBOX_WALLET_LISTEN: '127.0.0.1:7412' }, roles: ['sandbox'] },
    [/sandbox\.control_listen and sandbox\.wallet_listen are both 127\.0\.0\.1:7412/],
  ],
  [
    'two listeners at one address',
    '',
    {
      env: { ...gatewaySecrets, ROOMCELL_OPS_LISTEN: '127.0.0.1:7400' },
      roles: ['gateway'],
    },
    [/^gateway\.grpc_listen: gateway\.grpc_listen and ops\.listen are both 127\.0\.0\.1:7400/],
  ],
  [
    'a cell that serves others where the probes are answered',
    '',
    {
      env: { ROOMCELL_ADVERTISE_ADDR: '127.0.0.1:7401', ROOMCELL_OPS_LISTEN: '127.0.0.1:7401' },
      roles: ['cell'],
    },
    [/advertise_addr and ops\.listen are both 127\.0\.0\.1:7401/],
  ],
];

describe('a configuration is refused, with all its faults and no other, for', () => {
  it.each(badCases)('%s (OCFG-10, OUT-25, GIFT-8)', (_, lines, rest, expected) => {
    const faults = cases.faultsOf(`${leastYaml}\n${lines}`, rest);
    expect(faults).toHaveLength(expected.length);
    for (const pattern of expected) expect(faults).toContainEqual(expect.stringMatching(pattern));
  });

  it('everything that is missing from an empty file (NEW-8)', () => {
    const faults = cases.faultsOf('');
    const missing = faults.filter((fault) => fault.includes('is missing; name it'));
    expect(missing.map((fault) => fault.split(':')[0])).toEqual([
      'environment',
      'lease_ttl',
      'kafka.brokers',
      'mysql.host',
      'mysql.user',
      'redis.url',
    ]);
    expect(faults).toHaveLength(missing.length);
  });

  it('a file that is not there, not YAML, or no table of keys', () => {
    const absent = loadConfig({ file: join(cases.folder, 'absent.yaml'), env: {} });
    expect(absent.ok ? [] : absent.faults).toEqual([
      expect.stringMatching(/absent\.yaml: could not/),
    ]);
    expect(cases.faultsOf('a: [1, 2').length).toBeGreaterThan(0);
    expect(cases.faultsOf(`${leastYaml}\nlease_ttl: '10s'`)[0]).toMatch(/unique/i);
    expect(cases.faultsOf('- a list')[0]).toMatch(/^the file: must hold keys/);
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
    ['10.1.2.3:0', 'development', /names no port/],
    ['self:7400', 'production', /a name; it may lead to a load balancer/],
  ])('%s is refused in %s (LEASE-12, EXT-12)', (address, environment, expected) => {
    const faults = cases.faultsOf(leastYaml, {
      env: {
        ...gatewaySecrets,
        ROOMCELL_ADVERTISE_ADDR: address,
        ROOMCELL_ENVIRONMENT: environment,
      },
      roles: ['cell'],
      localAddresses: ['10.1.2.3', '127.0.0.1'],
    });
    expect(faults).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ['127.0.0.2:7400', 'development'],
    ['127.0.0.1:0', 'development'],
    ['self:7400', 'development'],
    ['10.1.2.3:7400', 'production'],
    ['[fd00::1]:7400', 'production'],
  ])('%s is taken in %s', (address, environment) => {
    const faults = cases.faultsOf(leastYaml, {
      env: {
        ...gatewaySecrets,
        ROOMCELL_ADVERTISE_ADDR: address,
        ROOMCELL_ENVIRONMENT: environment,
      },
      roles: ['cell'],
      localAddresses: ['10.1.2.3', 'fd00::1'],
    });
    expect(faults).toEqual([]);
  });
});
