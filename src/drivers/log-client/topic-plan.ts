/**
 * What the topics of a deployment shall be like, and how those that exist are judged. What exists is
 * never changed: a partition count decides where rooms live, so a difference is a finding for people
 * (and a named state of the cell), not something to repair at start.
 */
import { destinations, topicNames } from '../../protocol/topics.ts';
import type { Destination } from '../../protocol/topics.ts';

/** What the topics shall be like when they are created. */
export interface TopicPlan {
  readonly prefix: string;
  /** Default 16. */
  readonly commandPartitions?: number;
  /** At least twice the gateways. Default 16. */
  readonly replyPartitions?: number;
  /** Per destination. Default 8. */
  readonly eventPartitions?: Readonly<Partial<Record<Destination, number>>>;
  /** Default 8. */
  readonly displayPartitions?: number;
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

/** One topic of a plan. */
export interface PlannedTopic {
  readonly topic: string;
  readonly partitionCount: number;
  /** Records get the broker's time of appending. */
  readonly hasLogAppendTime: boolean;
}

/** What a topic's `message.timestamp.type` must be where the plan wants the broker's time. */
export const logAppendTime = 'LogAppendTime';

/** All topics of a plan, with the defaults filled in. */
export function plannedTopics(plan: TopicPlan): readonly PlannedTopic[] {
  const names = topicNames(plan.prefix);
  const planned = (topic: string, partitionCount: number): PlannedTopic => ({
    topic,
    partitionCount,
    hasLogAppendTime: topic === names.commands,
  });
  return [
    planned(names.commands, plan.commandPartitions ?? 16),
    planned(names.replies, plan.replyPartitions ?? 16),
    ...destinations.map((destination) =>
      planned(names.events[destination], plan.eventPartitions?.[destination] ?? 8),
    ),
    planned(names.display, plan.displayPartitions ?? 8),
  ];
}

/** `timestampTypes` need to hold those topics only that want the broker's time. */
export function topicFindings(
  planned: readonly PlannedTopic[],
  partitionCounts: Readonly<Record<string, number>>,
  timestampTypes: ReadonlyMap<string, string>,
): readonly TopicFinding[] {
  const findings: TopicFinding[] = [];
  for (const { topic, partitionCount } of planned) {
    const found = partitionCounts[topic] ?? 0;
    if (found !== partitionCount) {
      findings.push({ kind: 'partitionCount', topic, planned: partitionCount, found });
    }
  }
  for (const { topic, hasLogAppendTime } of planned) {
    const found = timestampTypes.get(topic) ?? 'unknown';
    if (hasLogAppendTime && found !== logAppendTime) {
      findings.push({ kind: 'notLogAppendTime', topic, found });
    }
  }
  return findings;
}
