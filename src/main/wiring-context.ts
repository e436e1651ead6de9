/**
 * What all roles of a process share: configuration, clocks, log, metrics, and one set of drivers for
 * MySQL, Kafka and Redis. Made once, before any role; nothing in it connects before it is used.
 */
import { hostname } from 'node:os';
import type { KafkaDeps, KafkaSettings } from '../drivers/kafka/kafka-settings.ts';
import type { MysqlServerSettings } from '../drivers/mysql/connection-settings.ts';
import { createMysqlDrivers, type MysqlDrivers } from '../drivers/mysql/mysql-drivers.ts';
import { createOutboxStore } from '../drivers/mysql/outbox-store.ts';
import type { RedisDeps, RedisSettings } from '../drivers/redis/redis-client.ts';
import { createRedisWake, type RedisWake } from '../drivers/redis/redis-wake.ts';
import { createSystemClock } from '../drivers/system/system-clock.ts';
import { createSystemRandom } from '../drivers/system/system-random.ts';
import { createSystemTimers } from '../drivers/system/system-timers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { OutboxStore } from '../ports/outbox-store.ts';
import type { PartitionStore } from '../ports/partition-store.ts';
import type { Random } from '../ports/random.ts';
import type { Timers } from '../ports/timers.ts';
import type { Trace } from '../ports/trace.ts';
import type { Codec } from '../protocol/codec-api.ts';
import { createCodec } from '../protocol/codec.ts';
import { topicNames, type TopicNames } from '../protocol/topics.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import { createFoundation, type Foundation } from './foundation.ts';
import type { RoleName } from './role.ts';

/** See the file header. */
export interface WiringContext {
  readonly config: RoomcellConfig;
  /** Every role that this process runs. */
  readonly roles: readonly RoleName[];
  readonly nodeId: string;
  /** Of this process: new at every start. */
  readonly incarnation: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
  readonly codec: Codec;
  readonly topics: TopicNames;
  readonly kafka: KafkaSettings;
  readonly redis: RedisSettings;
  readonly mysqlServer: MysqlServerSettings;
  readonly mysql: MysqlDrivers;
  readonly outboxStore: OutboxStore;
  readonly partitionStore: PartitionStore;
  readonly wake: RedisWake;
  /** Tables, topics and layout: every role awaits it before it builds its stage. */
  readonly foundation: Foundation;
  /** Told by a role that can no longer work: the process ends with a non-zero code. */
  readonly crashed: (role: RoleName, cause: unknown) => void;
  /** The context with a log whose lines name the role. */
  forRole(role: RoleName): WiringContext;
  /** The ports that Kafka's and Redis' drivers take. */
  readonly driverPorts: KafkaDeps & RedisDeps;
  /** Lets the shared drivers go, after every role has stopped. */
  close(): Promise<void>;
}

const incarnationBytes = 8;

/** Builds the context of one process. */
export function createWiringContext(options: {
  readonly config: RoomcellConfig;
  readonly roles: readonly RoleName[];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
  readonly crashed: (role: RoleName, cause: unknown) => void;
}): WiringContext {
  const { config, roles, log, metrics } = options;
  const clock = createSystemClock();
  const timers = createSystemTimers();
  const random = createSystemRandom();
  const incarnation = random.hex(incarnationBytes, 'incarnation');
  const topics = topicNames(config.kafka.topicPrefix);
  const driverPorts = { log, metrics, clock, timers };
  const kafka = kafkaSettingsOf(config, `roomcell-${nodeIdOf(config)}`);
  const redis = redisSettingsOf(config, `roomcell-${nodeIdOf(config)}`);
  const mysqlServer = mysqlServerOf(config);
  const mysql = createMysqlDrivers({
    server: mysqlServer,
    commandsTopic: topics.commands,
    repliesTopic: topics.replies,
    pool: { connections: config.mysql.poolSize },
    session: { openMs: config.mysql.connectTimeoutMs },
  });
  const wake = createRedisWake({ redis, topic: 'outbox', incarnation }, driverPorts);
  const foundationParts = { config, roles, mysql, mysqlServer, kafka, topics, ports: driverPorts };
  return {
    ...options,
    nodeId: nodeIdOf(config),
    incarnation,
    clock,
    timers,
    random,
    codec: createCodec(),
    topics,
    kafka,
    redis,
    mysqlServer,
    mysql,
    outboxStore: createOutboxStore(mysql.pool),
    partitionStore: mysql.partitionStore,
    wake,
    foundation: createFoundation(foundationParts),
    driverPorts,
    forRole(role) {
      const roleLog = log.child({ role });
      return { ...this, log: roleLog, driverPorts: { ...driverPorts, log: roleLog } };
    },
    async close() {
      await wake.stop();
      await mysql.close();
    },
  };
}

/** The configured id, or one made from the host's name: the same after a restart. */
export function nodeIdOf(config: RoomcellConfig): string {
  if (config.nodeId !== '') return config.nodeId;
  return (
    hostname()
      .replace(/[^A-Za-z0-9_.:-]/g, '-')
      .slice(0, 64) || 'node'
  );
}

/** Where the database is. */
export function mysqlServerOf({ mysql }: RoomcellConfig): MysqlServerSettings {
  const { host, port, user, password, database } = mysql;
  return { host, port, user, password, database, tls: null };
}

/** Where the brokers are; `clientId` shows in their logs. */
export function kafkaSettingsOf({ kafka }: RoomcellConfig, clientId: string): KafkaSettings {
  const { brokers, connectionTimeoutMs, requestTimeoutMs } = kafka;
  return { brokers, clientId, connectionTimeoutMs, requestTimeoutMs };
}

function redisSettingsOf(config: RoomcellConfig, connectionName: string): RedisSettings {
  return { url: redisUrlOf(config), keyPrefix: config.redis.keyPrefix, connectionName };
}

function redisUrlOf({ redis }: RoomcellConfig): string {
  if (redis.password === '') return redis.url;
  const url = new URL(redis.url);
  url.password = redis.password;
  return url.href;
}
