/** The configuration is read whole and typed; variables win over the file, secrets never show. */
import { afterAll, describe, expect, it } from 'vitest';
import { effectiveConfigYaml } from '../../../../src/main/config/effective-config.ts';
import { keyTable } from '../../../../src/main/config/key-table.ts';
import { loadConfig } from '../../../../src/main/config/load-config.ts';
import { roleNames } from '../../../../src/main/role.ts';
import {
  configFolder,
  demoApp,
  leastYaml,
  gatewaySecrets,
  secrets,
  type LoadOptions,
} from '../../../support/config-cases.ts';

const cases = configFolder();
afterAll(() => cases.remove());

function configOf(yaml: string, options: LoadOptions = {}) {
  const loaded = cases.load(yaml, options);
  if (!loaded.ok) throw new Error(`unexpected faults: ${loaded.faults.join('\n')}`);
  return loaded.config;
}

describe('a sound configuration', () => {
  it('is typed, with durations in milliseconds and names in camel case', () => {
    const config = configOf(`${leastYaml}\noutbox_worker: { poll_interval: '1m' }`);
    expect(config.outboxWorker.pollIntervalMs).toBe(60_000);
    expect(config.leaseTtlMs).toBe(15_000);
    expect(config.kafka.brokers).toEqual(['127.0.0.1:9092']);
  });

  it('names no server when the drivers are embedded', () => {
    const least = `environment: development\nlease_ttl: '15s'\ndrivers: embedded`;
    const few = 'kafka: { replication_factor: 1, min_insync_replicas: 1 }';
    expect(configOf(`${least}\n${few}`)).toMatchObject({ drivers: 'embedded', redis: { url: '' } });
    expect(configOf(leastYaml).drivers).toBe('servers');
  });

  it('has the defaults of the seeds for the outbox worker (OCFG-2, OCFG-3, OCFG-4, OCFG-5, OCFG-6, OCFG-7, OCFG-8, OCFG-9)', () => {
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

  it('bans nobody from groups of an app unless it says so, in the file or by a variable', () => {
    const bans = (yaml: string, env: Record<string, string> = {}) =>
      configOf(`${leastYaml}\n${yaml}`, { env: { ...secrets, ...env } }).tencentIm.apps.get('demo')
        ?.banMembers;
    const on = demoApp.replace('sdk_app_id', 'ban_members: true, sdk_app_id');
    expect([bans(demoApp), bans(on)]).toEqual([false, true]);
    const variable = 'ROOMCELL_TENCENT_IM_APPS_DEMO_BAN_MEMBERS';
    expect([bans(demoApp, { [variable]: 'true' }), bans(on, { [variable]: 'false' })]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['absent', '', 1],
    ['zero', 'snapshot_every_n: 0', 1],
    ['negative', 'snapshot_every_n: -3', 1],
    ['ten', 'snapshot_every_n: 10', 10],
  ])(
    'makes a snapshot every version when snapshot_every_n is %s (NEW-3, CFG-4)',
    (_, line, expected) => {
      expect(configOf(`${leastYaml}\n${line}`).snapshotEveryN).toBe(expected);
    },
  );

  it('means the default where the seeds say that a value not above zero does (NEW-4, NEW-5, NEW-6, NEW-7, CFG-3, CFG-5, CFG-6)', () => {
    const lines = `rank_limit: 0\npresence_stale_after: '0s'\nmic_publish_timeout: '-5s'\nlucky_gift_send_lock_ttl: '0s'`;
    const config = configOf(`${leastYaml}\n${lines}`);
    expect(config.rankLimit).toBe(20);
    expect(config.presenceStaleAfterMs).toBe(120_000);
    expect(config.micPublishTimeoutMs).toBe(15_000);
    expect(config.luckyGiftSendLockTtlMs).toBe(5_000);
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
    const secretFile = cases.fileWith('a-secret-of-at-least-thirty-two-bytes\n');
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

  it('production runs a cell once its addresses are set (OCFG-1)', () => {
    const loaded = loadConfig({
      file: 'config/production.yaml',
      env: {
        ...gatewaySecrets,
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
