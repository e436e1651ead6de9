/**
 * Kafka as a space for the log's contract suites: topics of a fresh prefix on the run's broker, or a
 * broker of its own behind a proxy for what would disturb everybody else.
 */
import { Kafka, logLevel } from 'kafkajs';
import { createKafkaCommandSink } from '../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaCommandSource } from '../../src/drivers/kafka/kafka-command-source.ts';
import { createKafkaDisplaySink } from '../../src/drivers/kafka/kafka-display-sink.ts';
import { createKafkaDisplaySource } from '../../src/drivers/kafka/kafka-display-source.ts';
import { createKafkaEventSink } from '../../src/drivers/kafka/kafka-event-sink.ts';
import { createKafkaEventSource } from '../../src/drivers/kafka/kafka-event-source.ts';
import { createKafkaReplySink } from '../../src/drivers/kafka/kafka-reply-sink.ts';
import { createKafkaReplySource } from '../../src/drivers/kafka/kafka-reply-source.ts';
import type { KafkaSettings } from '../../src/drivers/kafka/kafka-settings.ts';
import { rendezvousAssigner } from '../../src/drivers/kafka/rendezvous-assigner.ts';
import { ensureTopics } from '../../src/drivers/kafka/topics.ts';
import type { TopicPlan } from '../../src/drivers/log-client/topic-plan.ts';
import { createDeferred } from '../../src/kernel/deferred.ts';
import { topicNames } from '../../src/protocol/topics.ts';
import { startStack } from '../../scripts/stack/start-stack.ts';
import { driverDeps } from './driver-deps.ts';
import { openKafkaSpace } from './kafka-space.ts';
import type { KafkaSpace } from './kafka-space.ts';
import { onOneBroker } from './log-space.ts';
import type { FaultyLogSpace, LogSpace, Where } from './log-space.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import type { TcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './wait-until.ts';

/** A frozen process gives nothing up: no request of the far side may run out of time by itself. */
const farRequestTimeoutMs = 60_000;

/** Topics of its own on the broker that ROOMCELL_KAFKA_BROKERS names. */
export async function openKafkaLogSpace(plan: Partial<TopicPlan> = {}): Promise<LogSpace> {
  const space = await openKafkaSpace(plan);
  return logSpaceOn(space, space.kafka, () => space.close());
}

/** A broker of its own; its far side is behind a proxy. Takes some seconds. */
export async function openFaultyKafkaLogSpace(): Promise<FaultyLogSpace> {
  const proxy = await startTcpProxy({ targetPort: 1 });
  const stack = await startStack({
    kafkaAdvertisedPort: proxy.port,
    stopOnSignals: false,
    environment: { ...process.env, ROOMCELL_STACK: 'native' },
    log: () => undefined,
  });
  proxy.setTarget(stack.kafka?.listenPort ?? 0);
  const clientId = 'roomcell-test';
  const near: KafkaSettings = { brokers: stack.kafka?.directBrokers ?? [], clientId };
  const far: KafkaSettings = {
    brokers: [`127.0.0.1:${proxy.port}`],
    clientId,
    requestTimeoutMs: farRequestTimeoutMs,
  };
  const prefix = 'faulty';
  const topics = topicNames(prefix);
  await ensureTopics(near, { ...onOneBroker, prefix }, driverDeps());
  const admin = new Kafka({ brokers: [...near.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const close = async (): Promise<void> => {
    await admin.disconnect();
    await stack.stop();
    await proxy.close();
  };
  const space = { kafka: near, prefix, topics, admin, close };
  return { ...logSpaceOn(space, far, close), ...faultsOf(space, proxy) };
}

/** The ports of a space; `far` is where its far side finds the broker. */
export function logSpaceOn(
  space: KafkaSpace,
  far: KafkaSettings,
  close: () => Promise<void>,
): LogSpace {
  const { topics, prefix, admin } = space;
  const over = (where: Where | undefined) => (where === 'far' ? far : space.kafka);
  return {
    topics,
    prefix,
    deps: driverDeps,
    pass: (ms) => driverDeps().timers.sleep(ms),
    commandSink: (more, deps, where) =>
      createKafkaCommandSink({ kafka: over(where), topic: topics.commands, ...more }, deps),
    commandSource: (more, deps, where) =>
      createKafkaCommandSource(
        {
          kafka: over(where),
          topic: topics.commands,
          groupId: `${prefix}.cells`,
          partitionCount: onOneBroker.commandPartitions,
          sessionTimeoutMs: 3_000,
          ...more,
        },
        deps,
      ),
    eventSink: (more, deps, where) =>
      createKafkaEventSink({ kafka: over(where), topic: topics.events.im, ...more }, deps),
    eventSource: (more, deps, where) =>
      createKafkaEventSource({ kafka: over(where), topic: topics.events.im, ...more }, deps),
    replySink: (more, deps, where) =>
      createKafkaReplySink({ kafka: over(where), topic: topics.replies, ...more }, deps),
    replySource: (more, deps, where) =>
      createKafkaReplySource({ kafka: over(where), topic: topics.replies, ...more }, deps),
    displaySink: (more, deps, where) =>
      createKafkaDisplaySink({ kafka: over(where), topic: topics.display, ...more }, deps),
    displaySource: (more, deps, where) =>
      createKafkaDisplaySource(
        {
          kafka: over(where),
          topic: topics.display,
          groupId: `${prefix}.displays`,
          sessionTimeoutMs: 3_000,
          ...more,
        },
        deps,
      ),
    ensureTopics: (plan, signal) => ensureTopics(space.kafka, plan, driverDeps(), signal),
    createOddTopic: async (topic, numPartitions) =>
      void (await admin.createTopics({ topics: [{ topic, numPartitions }] })),
    deleteTopics: (names) => admin.deleteTopics({ topics: [...names] }),
    async range(topic, partition) {
      const rows = await admin.fetchTopicOffsets(topic);
      const row = rows.find((one) => one.partition === partition);
      return { startOffset: BigInt(row?.low ?? -1), endOffset: BigInt(row?.high ?? -1) };
    },
    moveStart: (topic, partition, offset) =>
      admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] }),
    leaveGap: (topic, partition) => leaveGap(space.kafka, topic, partition),
    async storedOffset(groupId, topic, partition) {
      const [stored] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const offset = stored?.partitions.find((one) => one.partition === partition)?.offset;
      return offset === undefined || offset === '-1' ? null : BigInt(offset);
    },
    close,
  };
}

/** A transaction ends in a marker that takes an offset and is no record. */
async function leaveGap(kafka: KafkaSettings, topic: string, partition: number): Promise<void> {
  const producer = new Kafka({
    brokers: [...kafka.brokers],
    logLevel: logLevel.NOTHING,
  }).producer({ transactionalId: `gap-${topic}`, idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic, messages: [{ partition, key: 'k', value: 'gap' }] });
  await transaction.commit();
  await producer.disconnect();
}

type Faults = Omit<FaultyLogSpace, keyof LogSpace>;

function faultsOf(space: KafkaSpace, proxy: TcpProxy): Faults {
  const { admin } = space;
  return {
    refuse: () => proxy.refuse(),
    freeze: () => proxy.setMode({ kind: 'hold', direction: 'both' }),
    async heal() {
      proxy.setMode({ kind: 'pass' });
      await proxy.accept();
    },
    async loseNextAck() {
      await proxy.swallow({ watch: 'toServer', matches: isProduceRequest }).swallowed;
      await proxy.refuse();
    },
    async loseNextProduce() {
      const rule = { watch: 'toServer', swallow: 'toServer', matches: isProduceRequest } as const;
      await proxy.swallow(rule).swallowed;
      await proxy.refuse();
    },
    async repeatNextProduce() {
      const watch = proxy.swallow({ watch: 'toServer', matches: isProduceRequest });
      await watch.swallowed;
      watch.cutMatched();
    },
    async recreateTopic(name) {
      const rows = await admin.fetchTopicOffsets(name);
      await admin.deleteTopics({ topics: [name] });
      await waitUntil(`${name} made anew`, async () => {
        const topics = [
          {
            topic: name,
            numPartitions: rows.length,
            configEntries: [{ name: 'message.timestamp.type', value: 'LogAppendTime' }],
          },
        ];
        // Refused, or answered with false, as long as the old one is still being deleted.
        return admin.createTopics({ topics, waitForLeaders: false }).catch(() => false);
      });
    },
    async rewind(groupId, topic, partition, offset) {
      await waitUntil(`${groupId} rewound`, () =>
        admin
          .setOffsets({ groupId, topic, partitions: [{ partition, offset: String(offset) }] })
          .then(
            () => true,
            // Refused as long as the last member is on its way out.
            () => false,
          ),
      );
    },
    commitAsStranger: (groupId, topic, offset) =>
      commitAsStranger(space.kafka, groupId, topic, offset),
  };
}

async function commitAsStranger(
  kafka: KafkaSettings,
  groupId: string,
  topic: string,
  offset: bigint,
): Promise<number> {
  const consumer = new Kafka({
    brokers: [...kafka.brokers],
    logLevel: logLevel.NOTHING,
  }).consumer({ groupId, partitionAssigners: [rendezvousAssigner('stranger', driverDeps().log)] });
  const joined = createDeferred<readonly number[]>();
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joined.resolve(payload.memberAssignment[topic] ?? []);
  });
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run({ autoCommit: false, eachBatch: () => Promise.resolve() });
  const own = await joined.promise;
  const partition = [0, 1, 2, 3].find((id) => !own.includes(id)) ?? -1;
  await consumer.commitOffsets([{ topic, partition, offset: String(offset) }]);
  await consumer.disconnect();
  return partition;
}

/** Size (4 bytes), then the kind of request (2 bytes), 0 for Produce. */
function isProduceRequest(chunk: Buffer): boolean {
  return chunk.length > 6 && chunk.readInt16BE(4) === 0;
}
