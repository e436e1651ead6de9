/** Creates the topics of a deployment on Kafka and looks at those that exist. */
import kafkajs from 'kafkajs';
import type { Admin, ITopicConfig } from 'kafkajs';
import { Failure } from '../../kernel/failure.ts';
import { logAppendTime, plannedTopics, topicFindings } from '../log-client/topic-plan.ts';
import type { PlannedTopic, TopicPlan, TopicReport } from '../log-client/topic-plan.ts';
import { briefRetry, createKafkaClient } from './kafka-client.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';

// Not a named import: Node does not see this name in the package's CommonJS, only bundlers do.
const topicResource = kafkajs.ConfigResourceTypes.TOPIC;
const timestampType = 'message.timestamp.type';
const triesMax = 100;
const retryAfterMs = 100;

/**
 * Idempotent, and safe when many nodes do it at once. Waits for an absent broker until `signal`
 * aborts; throws a Retry failure when it aborted or the brokers refuse for ten seconds.
 */
export async function ensureTopics(
  kafka: KafkaSettings,
  plan: TopicPlan,
  deps: KafkaDeps,
  signal?: AbortSignal,
): Promise<TopicReport> {
  const client = createKafkaClient(kafka, deps.log, briefRetry);
  const admin = client.kafka.admin();
  const created: string[] = [];
  try {
    await connectWhenThere(admin, deps, signal);
    for (let tries = 1; ; tries += 1) {
      try {
        return await ensureOnce(admin, plan, created);
      } catch (error) {
        // A broker that has just started refuses for a while (no controller yet, too few replicas).
        if (tries >= triesMax || signal?.aborted === true) throw refused(error);
        deps.log.debug({ error: String(error), tries }, 'topics not ready; trying again');
        await deps.timers.sleep(retryAfterMs, signal);
      }
    }
  } finally {
    await admin.disconnect().catch((error: unknown) => {
      deps.log.debug({ error: String(error) }, 'the admin connection was cut instead of closed');
    });
    client.close();
  }
}

async function connectWhenThere(
  admin: Admin,
  deps: KafkaDeps,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    try {
      await admin.connect();
      return;
    } catch (error) {
      if (signal?.aborted === true) throw refused(error);
      await deps.timers.sleep(retryAfterMs, signal);
    }
  }
}

/** Adds to `created` what it creates; an attempt that fails later has created it all the same. */
async function ensureOnce(admin: Admin, plan: TopicPlan, created: string[]): Promise<TopicReport> {
  const planned = plannedTopics(plan);
  const before = new Set(await admin.listTopics());
  const missing = planned.filter(({ topic }) => !before.has(topic));
  // False when another node was faster, which is as good. One call per topic: with several in one
  // call kafkajs would report a topic that failed and one that exists as the same error.
  for (const one of missing) {
    // Leaders are not awaited here: a topic that has none yet must count as created all the same.
    const topics = [configOf(one, plan)];
    const isNew = await admin.createTopics({ topics, waitForLeaders: false });
    if (isNew) created.push(one.topic);
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: planned.map(({ topic }) => topic) });
  const partitionCounts = Object.fromEntries(
    topics.map(({ name, partitions }) => [name, partitions.length]),
  );
  const timestampTypes = new Map<string, string>();
  for (const { topic, hasLogAppendTime } of planned) {
    if (hasLogAppendTime) timestampTypes.set(topic, await timestampTypeOf(admin, topic));
  }
  return {
    partitionCounts,
    created,
    findings: topicFindings(planned, partitionCounts, timestampTypes),
  };
}

async function timestampTypeOf(admin: Admin, topic: string): Promise<string> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: topicResource, name: topic, configNames: [timestampType] }],
  });
  return resources[0]?.configEntries[0]?.configValue ?? 'unknown';
}

function configOf(
  { topic, partitionCount, hasLogAppendTime }: PlannedTopic,
  plan: TopicPlan,
): ITopicConfig {
  const entries = {
    'min.insync.replicas': String(plan.minInsyncReplicas),
    ...(hasLogAppendTime ? { [timestampType]: logAppendTime } : {}),
  };
  return {
    topic,
    numPartitions: partitionCount,
    replicationFactor: plan.replicationFactor,
    configEntries: Object.entries(entries).map(([name, value]) => ({ name, value })),
  };
}

function refused(cause: unknown): Failure {
  return new Failure('retry', 'UNAVAILABLE', 'the topics cannot be created or read', {
    cause,
    retryAfterMs,
  });
}
