/**
 * Creates the topics of a deployment and looks at those that exist. What exists is never changed:
 * a partition count decides where rooms live, so a difference is a finding for people (and a named
 * state of the cell), not something to repair at start.
 */
import kafkajs from 'kafkajs';
import type { Admin, ITopicConfig } from 'kafkajs';
import { Failure } from '../../kernel/failure.ts';
import { destinations, topicNames } from '../../protocol/topics.ts';
import type { Destination } from '../../protocol/topics.ts';
import { briefRetry, createKafkaClient } from './kafka-client.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';

/** What the topics shall be like when they are created. */
export interface TopicPlan {
  readonly prefix: string;
  /** Default 16. */
  readonly commandPartitions?: number;
  /** At least twice the gateways. Default 16. */
  readonly replyPartitions?: number;
  /** Per destination. Default 8. */
  readonly eventPartitions?: Readonly<Partial<Record<Destination, number>>>;
  /** 3 in production, 1 on one broker. */
  readonly replicationFactor: number;
  /** 2 in production, 1 on one broker. */
  readonly minInsyncReplicas: number;
}

/** Something about an existing topic that differs from the plan. */
export type TopicFinding =
  | {
      readonly kind: 'partitionCount';
      readonly topic: string;
      readonly planned: number;
      readonly found: number;
    }
  /** Deadlines of commands are counted from the broker's time: without it, nothing may run. */
  | { readonly kind: 'notLogAppendTime'; readonly topic: string; readonly found: string };

/** How the topics are now. */
export interface TopicReport {
  readonly partitionCounts: Readonly<Record<string, number>>;
  readonly created: readonly string[];
  readonly findings: readonly TopicFinding[];
}

// Not a named import: Node does not see this name in the package's CommonJS, only bundlers do.
const topicResource = kafkajs.ConfigResourceTypes.TOPIC;
const timestampType = 'message.timestamp.type';
const logAppendTime = 'LogAppendTime';
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
  const wanted = topicConfigs(plan);
  const before = new Set(await admin.listTopics());
  const missing = wanted.filter(({ topic }) => !before.has(topic));
  // False when another node was faster, which is as good. One call per topic: with several in one
  // call kafkajs would report a topic that failed and one that exists as the same error.
  for (const config of missing) {
    // Leaders are not awaited here: a topic that has none yet must count as created all the same.
    const isNew = await admin.createTopics({ topics: [config], waitForLeaders: false });
    if (isNew) created.push(config.topic);
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
  const partitionCounts = Object.fromEntries(
    topics.map(({ name, partitions }) => [name, partitions.length]),
  );
  const findings: TopicFinding[] = [];
  for (const { topic, numPartitions: planned = 1 } of wanted) {
    const found = partitionCounts[topic] ?? 0;
    if (found !== planned) findings.push({ kind: 'partitionCount', topic, planned, found });
  }
  const commands = topicNames(plan.prefix).commands;
  const found = await timestampTypeOf(admin, commands);
  if (found !== logAppendTime) findings.push({ kind: 'notLogAppendTime', topic: commands, found });
  return { partitionCounts, created, findings };
}

async function timestampTypeOf(admin: Admin, topic: string): Promise<string> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: topicResource, name: topic, configNames: [timestampType] }],
  });
  return resources[0]?.configEntries[0]?.configValue ?? 'unknown';
}

function topicConfigs(plan: TopicPlan): ITopicConfig[] {
  const names = topicNames(plan.prefix);
  const common = (topic: string, numPartitions: number, more: Record<string, string> = {}) => ({
    topic,
    numPartitions,
    replicationFactor: plan.replicationFactor,
    configEntries: Object.entries({
      'min.insync.replicas': String(plan.minInsyncReplicas),
      ...more,
    }).map(([name, value]) => ({ name, value })),
  });
  return [
    common(names.commands, plan.commandPartitions ?? 16, { [timestampType]: logAppendTime }),
    common(names.replies, plan.replyPartitions ?? 16),
    ...destinations.map((destination) =>
      common(names.events[destination], plan.eventPartitions?.[destination] ?? 8),
    ),
  ];
}

function refused(cause: unknown): Failure {
  return new Failure('retry', 'UNAVAILABLE', 'the topics cannot be created or read', {
    cause,
    retryAfterMs,
  });
}
