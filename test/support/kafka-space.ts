/** Topics of a test file's own on the run's broker, and a plain client to look at them. */
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import type { Admin } from 'kafkajs';
import { createKafkaCommandSink } from '../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaCommandSource } from '../../src/drivers/kafka/kafka-command-source.ts';
import type { KafkaCommandSourceSettings } from '../../src/drivers/kafka/kafka-command-source.ts';
import type { KafkaSettings } from '../../src/drivers/kafka/kafka-settings.ts';
import { ensureTopics } from '../../src/drivers/kafka/topics.ts';
import type { TopicPlan } from '../../src/drivers/kafka/topics.ts';
import type { CommandSink } from '../../src/ports/command-sink.ts';
import type { CommandSource, LogRange, SourceRecord } from '../../src/ports/command-source.ts';
import { topicNames } from '../../src/protocol/topics.ts';
import type { TopicNames } from '../../src/protocol/topics.ts';
import { driverDeps } from './driver-deps.ts';
import type { DriverDeps } from './driver-deps.ts';
import { waitUntil } from './wait-until.ts';

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
      const all = [topics.commands, topics.replies, ...Object.values(topics.events)];
      await admin.deleteTopics({ topics: all });
      await admin.disconnect();
    },
  };
}

/** What a plan needs where there is one broker. */
export const onOneBroker = {
  commandPartitions: 4,
  replyPartitions: 4,
  eventPartitions: { im: 2, activity: 2, rtc: 2 },
  replicationFactor: 1,
  minInsyncReplicas: 1,
} as const;

/** A command source with everything it said, and the opening left to the test. */
export interface WatchedSource {
  readonly source: CommandSource;
  readonly deps: DriverDeps;
  /** Every assignment told, in order. */
  readonly assignments: (readonly number[])[];
  readonly records: SourceRecord[];
  readonly outOfRange: { partition: number; expected: bigint; range: LogRange }[];
  readonly crashes: unknown[];
  /** Offsets of one partition in the order they came. */
  offsetsOf(partition: number): bigint[];
  /** Waits until the newest assignment is this one. */
  assigned(partitions: readonly number[]): Promise<void>;
  /** Waits until so many partitions are assigned. */
  assignedCount(count: number): Promise<readonly number[]>;
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
  const watched: WatchedSource = {
    source,
    deps,
    assignments: [],
    records: [],
    outOfRange: [],
    crashes: [],
    offsetsOf: (partition) =>
      watched.records.filter((one) => one.partition === partition).map(({ offset }) => offset),
    async assigned(partitions) {
      const expected = JSON.stringify(partitions);
      const isTold = () => JSON.stringify(watched.assignments.at(-1)) === expected;
      await waitUntil(`${instanceName} assigned ${expected}`, () => Promise.resolve(isTold()), {
        seen: () => watched.assignments,
      });
    },
    assignedCount: (count) =>
      waitUntil(
        `${instanceName} assigned ${count} partitions`,
        () => {
          const newest = watched.assignments.at(-1);
          return Promise.resolve(newest?.length === count ? newest : null);
        },
        { seen: () => watched.assignments },
      ),
  };
  await source.start({
    onAssigned: (partitions) => watched.assignments.push(partitions),
    onRecords: (_partition, records) => watched.records.push(...records),
    onRebalancing: () => undefined,
    onCrashed: (cause) => watched.crashes.push(cause),
    onOutOfRange: (partition, expected, range) =>
      watched.outOfRange.push({ partition, expected, range }),
  });
  return watched;
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

/** Appends `count` records to a partition, values `p<partition>:<number>` from `from` on. */
export async function produceMany(
  sink: CommandSink,
  partition: number,
  count: number,
  from = 0,
): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      sink.produce({
        partition,
        key: Buffer.from('app1\0r1'),
        value: Buffer.from(`p${partition}:${from + index}`),
        headers: {},
      }),
    ),
  );
  const failed = outcomes.filter(({ kind }) => kind !== 'stored');
  if (failed.length > 0) throw new Error(`not stored: ${JSON.stringify(failed[0])}`);
}

/** `from`, `from + 1` … `to − 1`. */
export function offsetRange(from: number, to: number): bigint[] {
  return Array.from({ length: to - from }, (_, index) => BigInt(from + index));
}
