/**
 * What must be there before any role can work: tables of this release, topics, the layout of the
 * commands topic. Done once per process and shared by its roles; safe when many processes do it at
 * once, because each step is.
 */
import type { TopicPlan, TopicReport } from '../drivers/log-client/topic-plan.ts';
import type { TopicLayout } from '../ports/partition-store.ts';
import type { TopicNames } from '../protocol/topics.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import type { DriverSet } from './driver-set.ts';
import type { RoleName } from './role.ts';
import { waitForDependency, type Waiting } from './wait-for-dependency.ts';

/** See the file header. */
export interface Foundation {
  /**
   * Resolves with the layout of the commands topic when everything is there. Waits for absent
   * servers; rejects when waiting cannot help (a migration that fails, a topic of another kind).
   */
  ready(waiting: Waiting): Promise<TopicLayout>;
}

/** What it is made of. */
export interface FoundationParts {
  readonly config: RoomcellConfig;
  readonly roles: readonly RoleName[];
  readonly topics: TopicNames;
  readonly drivers: DriverSet;
}

/** Nothing is touched before the first `ready`. */
export function createFoundation(parts: FoundationParts): Foundation {
  let laid: Promise<TopicLayout> | null = null;
  return {
    async ready(waiting) {
      laid ??= lay(parts, waiting);
      try {
        return await laid;
      } catch (error) {
        // Whoever asks next tries again; a failure is not kept.
        laid = null;
        throw error;
      }
    },
  };
}

/** How the configuration wants the topics. */
export function topicPlanOf({ kafka }: RoomcellConfig): TopicPlan {
  const { eventPartitions } = kafka;
  return {
    prefix: kafka.topicPrefix,
    commandPartitions: kafka.commandsPartitions,
    replyPartitions: kafka.replyPartitions,
    eventPartitions: { im: eventPartitions, activity: eventPartitions, rtc: eventPartitions },
    displayPartitions: eventPartitions,
    replicationFactor: kafka.replicationFactor,
    minInsyncReplicas: kafka.minInsyncReplicas,
  };
}

async function lay(parts: FoundationParts, waiting: Waiting): Promise<TopicLayout> {
  const { config, drivers, topics } = parts;
  const { foundation } = drivers;
  const { log } = waiting;
  // 1. Tables.
  if (config.mysql.migrateAtStart) {
    const applied = await waitForDependency('MySQL', () => foundation.migrate(), waiting);
    if (applied.length > 0) log.info({ migrations: applied }, 'tables brought up to date');
  }
  await refuseForgetfulServer(parts, waiting);
  // 2. Topics. The driver waits for an absent broker by itself, so the reason is told beforehand.
  waiting.onWaiting('waiting for Kafka');
  const report = await foundation.ensureTopics(topicPlanOf(config), waiting.signal);
  waiting.onWaiting(null);
  if (report.created.length > 0) log.info({ topics: report.created }, 'topics created');
  // 3. Layout: MySQL's answer counts, whatever this process would have chosen.
  const layout = await waitForDependency(
    'MySQL',
    () =>
      drivers.stores.partitionStore.ensureLayout({
        topic: topics.commands,
        partitionCount: config.kafka.commandsPartitions,
        hash: 'murmur2',
      }),
    waiting,
  );
  judgeTopics(report, layout, waiting);
  return layout;
}

/** A cell on a server that may lose commits would make every reply a lie. */
async function refuseForgetfulServer(parts: FoundationParts, waiting: Waiting): Promise<void> {
  if (!parts.roles.includes('cell')) return;
  const { foundation } = parts.drivers;
  const findings = await waitForDependency('MySQL', () => foundation.durabilityFaults(), waiting);
  if (findings.length === 0) return;
  if (parts.config.environment === 'production') throw new Error(findings.join(' '));
  waiting.log.warn({ findings }, 'the database may lose commits; never do this in production');
}

function judgeTopics(report: TopicReport, layout: TopicLayout, { log }: Waiting): void {
  for (const finding of report.findings) {
    if (finding.kind === 'notLogAppendTime') {
      throw new Error(
        `topic ${finding.topic} has message.timestamp.type = ${finding.found}; deadlines of ` +
          'commands need LogAppendTime',
      );
    }
    if (finding.topic !== layout.topic) log.warn({ ...finding }, 'a topic differs from the plan');
  }
  const found = report.partitionCounts[layout.topic] ?? 0;
  if (found < layout.partitionCount) {
    throw new Error(
      `topic ${layout.topic} has ${found} partitions, but MySQL's topic_layout says ` +
        `${layout.partitionCount}: rooms of the missing ones could not be reached`,
    );
  }
  if (found > layout.partitionCount) {
    const facts = { topic: layout.topic, found, used: layout.partitionCount };
    log.warn(facts, 'PARTITION_COUNT_CHANGED: partitions above the stored layout are not used');
  }
}
