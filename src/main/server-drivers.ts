/** The drivers of a deployment: Kafka, MySQL and Redis where the configuration names them. */
import { join } from 'node:path';
import { createOwnerReadsPeers } from '../drivers/grpc/owner-reads-client.ts';
import { createOwnerReadsServer } from '../drivers/grpc/owner-reads-server.ts';
import { createKafkaCommandSink } from '../drivers/kafka/kafka-command-sink.ts';
import { createKafkaCommandSource } from '../drivers/kafka/kafka-command-source.ts';
import { createKafkaDisplaySink } from '../drivers/kafka/kafka-display-sink.ts';
import { createKafkaDisplaySource } from '../drivers/kafka/kafka-display-source.ts';
import { createKafkaEventSink } from '../drivers/kafka/kafka-event-sink.ts';
import { createKafkaEventSource } from '../drivers/kafka/kafka-event-source.ts';
import { createKafkaReplySink } from '../drivers/kafka/kafka-reply-sink.ts';
import { createKafkaReplySource } from '../drivers/kafka/kafka-reply-source.ts';
import type { KafkaSettings } from '../drivers/kafka/kafka-settings.ts';
import { ensureTopics } from '../drivers/kafka/topics.ts';
import type { MysqlServerSettings } from '../drivers/mysql/connection-settings.ts';
import { migrate, MigrationError } from '../drivers/mysql/migrate.ts';
import { createMysqlDrivers, type MysqlDrivers } from '../drivers/mysql/mysql-drivers.ts';
import { toFailure } from '../drivers/mysql/mysql-errors.ts';
import type { RedisSettings } from '../drivers/redis/redis-client.ts';
import { createRedisLeaseDirectory } from '../drivers/redis/redis-lease-directory.ts';
import { createRedisLuckyGiftSendLocker } from '../drivers/redis/redis-lucky-gift-send-locker.ts';
import { createRedisRocketScheduler } from '../drivers/redis/redis-rocket-scheduler.ts';
import { createRedisRoomGiftLeaderboard } from '../drivers/redis/redis-room-gift-leaderboard.ts';
import { createRedisRoomListCache } from '../drivers/redis/redis-room-list-cache.ts';
import { createRedisWake } from '../drivers/redis/redis-wake.ts';
import { createSystemRandom } from '../drivers/system/system-random.ts';
import { blockingDestinationsOf } from './blocking-destinations.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import type { DriverSet, DriverSetParts, FoundationDrivers } from './driver-set.ts';
import { leaseSettingsOf } from './lease-settings.ts';
import { advertisedAddressOf } from './listen-address.ts';
import { logSettingsOf } from './log-settings.ts';
import { nodeTokenOf } from './node-token.ts';
import { projectRoot } from './project-root.ts';

/** Makes the set; nothing of Kafka and MySQL connects yet, and the wake works without Redis. */
export function createServerDrivers(parts: DriverSetParts): DriverSet {
  const { config, nodeId, incarnation, topics } = parts;
  const client = `roomcell-${nodeId}`;
  const kafka = kafkaSettingsOf(config, client);
  const redis = redisSettingsOf(config, client);
  const mysql = createMysqlDrivers({
    server: mysqlServerOf(config),
    commandsTopic: topics.commands,
    repliesTopic: topics.replies,
    pool: { connections: config.mysql.poolSize },
    session: { openMs: config.mysql.connectTimeoutMs },
    blocking: blockingDestinationsOf(config),
  });
  const log = logSettingsOf(parts);
  const wake = createRedisWake({ redis, topic: 'outbox', incarnation }, parts.ports);
  return {
    warning: null,
    stores: mysql,
    wake,
    foundation: foundationDrivers(parts, kafka, mysql),
    commandSink: (ports) => createKafkaCommandSink({ kafka, ...log.commandSink }, ports),
    commandSource: (partitionCount, ports) =>
      createKafkaCommandSource({ kafka, ...log.commandSource(partitionCount) }, ports),
    replySink: (ports) => createKafkaReplySink({ kafka, ...log.replySink }, ports),
    replySource: (reader, ports) =>
      createKafkaReplySource({ kafka, ...log.replySource(reader) }, ports),
    eventSink: (destination, ports) =>
      createKafkaEventSink({ kafka, ...log.eventSink(destination) }, ports),
    eventSource: (destination, ports) =>
      createKafkaEventSource({ kafka, ...log.eventSource(destination) }, ports),
    displaySink: (ports) => createKafkaDisplaySink({ kafka, ...log.displaySink }, ports),
    displaySource: (ports) => createKafkaDisplaySource({ kafka, ...log.displaySource }, ports),
    leaseDirectory: (ports) =>
      createRedisLeaseDirectory({ redis, ...leaseSettingsOf(config, nodeId) }, ports),
    roomListCache: (ports) =>
      createRedisRoomListCache(
        { redis, readBudgetMs: config.listCache.readBudgetMs },
        { ...ports, random: createSystemRandom() },
      ),
    roomGiftLeaderboard: (ports) =>
      createRedisRoomGiftLeaderboard(
        { redis, readBudgetMs: config.leaderboard.readBudgetMs },
        ports,
      ),
    handOver: (ports) => createRedisWake({ redis, topic: 'hand-over', incarnation }, ports),
    luckyGiftLocks: (ports) => createRedisLuckyGiftSendLocker(redis, ports),
    rocketScheduler: (ports) => createRedisRocketScheduler({ redis }, ports),
    readsPeers: ({ clock }) => createOwnerReadsPeers({ token: nodeTokenOf(config) }, { clock }),
    readsServer: (reads, ports) =>
      createOwnerReadsServer(
        { ...advertisedAddressOf(config.advertiseAddr), token: nodeTokenOf(config) },
        reads,
        ports,
      ),
    async close() {
      await wake.stop();
      await mysql.close();
    },
  };
}

function foundationDrivers(
  { config, ports }: DriverSetParts,
  kafka: KafkaSettings,
  mysql: MysqlDrivers,
): FoundationDrivers {
  return {
    migrate: () => migrateNow(mysqlServerOf(config)),
    async durabilityFaults() {
      const findings = await mysql.checkDurability();
      return findings.map(({ refusal }) => refusal);
    },
    ensureTopics: (plan, signal) => ensureTopics(kafka, plan, ports, signal),
  };
}

/** Applies the migrations of this release; answers their names. Retry failure: server away. */
export async function migrateNow(server: MysqlServerSettings): Promise<readonly string[]> {
  try {
    return await migrate(server, join(projectRoot(), 'migrations'));
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw toFailure(error, 'migration');
  }
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

/** Where Redis is; `connectionName` shows in its list of clients. */
export function redisSettingsOf(config: RoomcellConfig, connectionName: string): RedisSettings {
  return { url: redisUrlOf(config), keyPrefix: config.redis.keyPrefix, connectionName };
}

function redisUrlOf({ redis }: RoomcellConfig): string {
  if (redis.password === '') return redis.url;
  const url = new URL(redis.url);
  url.password = redis.password;
  return url.href;
}
