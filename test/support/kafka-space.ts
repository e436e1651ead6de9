/** Topics of a test file's own on the run's broker, and a plain client to look at them. */
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import type { Admin } from 'kafkajs';
import { createKafkaCommandSink } from '../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaCommandSource } from '../../src/drivers/kafka/kafka-command-source.ts';
import type { KafkaCommandSourceSettings } from '../../src/drivers/kafka/kafka-command-source.ts';
import type { KafkaSettings } from '../../src/drivers/kafka/kafka-settings.ts';
import { ensureTopics } from '../../src/drivers/kafka/topics.ts';
import type { TopicPlan } from '../../src/drivers/log-client/topic-plan.ts';
import type { CommandSink } from '../../src/ports/command-sink.ts';
import { topicNames } from '../../src/protocol/topics.ts';
import type { TopicNames } from '../../src/protocol/topics.ts';
import { driverDeps } from './driver-deps.ts';
import { onOneBroker } from './log-space.ts';
import { startWatched } from './watched-source.ts';
import type { WatchedSource } from './watched-source.ts';

/** See the file header. */
export interface KafkaSpace {
  readonly kafka: KafkaSettings;
  readonly prefix: string;
  readonly topics: TopicNames;
  /** Outside of all drivers. */
  readonly admin: Admin;
  /** Deletes the topics. */
  close(): Promise<void>;
}

/** Creates the topics of a fresh prefix on the broker that ROOMCELL_KAFKA_BROKERS names. */
export async function openKafkaSpace(plan: Partial<TopicPlan> = {}): Promise<KafkaSpace> {
  const named = process.env['ROOMCELL_KAFKA_BROKERS'];
  if (named === undefined || named === '') {
    throw new Error('ROOMCELL_KAFKA_BROKERS is not set: run this test through npm test');
  }
  const brokers = named.split(',');
  const prefix = `roomcell_t_${randomBytes(4).toString('hex')}`;
  const kafka = { brokers, clientId: 'roomcell-test' };
  const topics = topicNames(prefix);
  await ensureTopics(kafka, { ...onOneBroker, ...plan, prefix }, driverDeps());
  const client = new Kafka({ ...kafka, logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  return {
    kafka,
    prefix,
    topics,
    admin,
    async close() {
      const all = [
        topics.commands,
        topics.replies,
        topics.display,
        ...Object.values(topics.events),
      ];
      await admin.deleteTopics({ topics: all });
      await admin.disconnect();
    },
  };
}

/** Starts a member of the group `group`; times are short, so that tests are. */
export async function startSource(
  space: KafkaSpace,
  instanceName: string,
  more: Partial<KafkaCommandSourceSettings> = {},
): Promise<WatchedSource> {
  const deps = driverDeps();
  const source = createKafkaCommandSource(
    {
      kafka: space.kafka,
      topic: space.topics.commands,
      groupId: `${space.prefix}.cells`,
      instanceName,
      partitionCount: onOneBroker.commandPartitions,
      sessionTimeoutMs: 3_000,
      ...more,
    },
    deps,
  );
  return startWatched(source, deps, instanceName);
}

/** A running sink on the commands topic. */
export async function startSink(space: KafkaSpace): Promise<CommandSink> {
  const sink = createKafkaCommandSink(
    { kafka: space.kafka, topic: space.topics.commands },
    driverDeps(),
  );
  await sink.start();
  return sink;
}
