/** Memory twin of what creates the topics of a deployment and looks at those that exist. */
import { Failure } from '../../kernel/failure.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { logAppendTime, plannedTopics, topicFindings } from '../log-client/topic-plan.ts';
import type { TopicPlan, TopicReport } from '../log-client/topic-plan.ts';
import { requestTimeoutMs } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

const retryAfterMs = 100;

/**
 * Idempotent, and safe when many nodes do it at once. Waits for a broker out of reach until
 * `signal` aborts; throws a Retry failure then. There are no replicas, so those wishes are ignored.
 */
export async function ensureMemoryTopics(
  { broker, client }: MemoryClientSettings,
  plan: TopicPlan,
  { timers }: DriverPorts,
  signal?: AbortSignal,
): Promise<TopicReport> {
  const link = broker.connect(client);
  try {
    for (;;) {
      try {
        return await link.ask(() => ensureOnce(broker, plan), requestTimeoutMs);
      } catch (cause) {
        if (signal?.aborted === true) {
          const message = 'the topics cannot be created or read';
          throw new Failure('retry', 'UNAVAILABLE', message, { cause, retryAfterMs });
        }
        await timers.sleep(retryAfterMs, signal);
      }
    }
  } finally {
    link.close();
  }
}

function ensureOnce(broker: MemoryClientSettings['broker'], plan: TopicPlan): TopicReport {
  const planned = plannedTopics(plan);
  const created = planned
    .filter(({ topic, partitionCount, hasLogAppendTime }) =>
      broker.createTopic(topic, partitionCount, hasLogAppendTime ? logAppendTime : 'CreateTime'),
    )
    .map(({ topic }) => topic);
  const found = planned.map(({ topic }) => broker.topic(topic));
  const partitionCounts = Object.fromEntries(
    found.map(({ name, partitions }) => [name, partitions.length]),
  );
  const timestampTypes = new Map(found.map(({ name, timestampType }) => [name, timestampType]));
  return {
    partitionCounts,
    created,
    findings: topicFindings(planned, partitionCounts, timestampTypes),
  };
}
