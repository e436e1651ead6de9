/** How each reader of the log is a member of its group: the defaults that measurements led to. */
import type { DisplaySourceSettings } from './log-display-source.ts';
import type { EventSourceSettings } from './log-event-source.ts';
import type { CommandSourceSettings } from './log-command-source.ts';
import type { ReplySourceSettings } from './log-reply-source.ts';

/** Of one membership. All times in ms. */
export interface MembershipSettings {
  readonly topic: string;
  readonly groupId: string;
  /**
   * The group is this member's alone: each replaced consumer takes a new one, because in the old
   * one the broker would wait for the session of its predecessor to run out.
   */
  readonly isGroupOfOne?: boolean;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** An idle member learns of a rebalance this late, plus `maxWaitMs`. */
  readonly heartbeatIntervalMs: number;
  /** Longest wait of a fetch; bounds how late `resume`, `seek` and `stop` take effect. */
  readonly maxWaitMs: number;
  readonly maxBytesPerPartition: number;
  /** Batches handled at once; at least the number of partitions when the handler only enqueues. */
  readonly concurrency: number;
  /** Where to begin without a committed offset, and after one that is no longer retained. */
  readonly fromBeginning: boolean;
  readonly stopTimeoutMs: number;
}

/** The cell's. */
export function commandMembership(settings: CommandSourceSettings): MembershipSettings {
  return {
    topic: settings.topic,
    groupId: settings.groupId,
    sessionTimeoutMs: settings.sessionTimeoutMs ?? 10_000,
    rebalanceTimeoutMs: settings.rebalanceTimeoutMs ?? 15_000,
    heartbeatIntervalMs: settings.heartbeatIntervalMs ?? 150,
    maxWaitMs: settings.maxWaitMs ?? 100,
    maxBytesPerPartition: settings.maxBytesPerPartition ?? 512 * 1024,
    concurrency: settings.partitionCount,
    fromBeginning: true,
    stopTimeoutMs: settings.stopTimeoutMs ?? 3_000,
  };
}

/** An adapter's. */
export function eventMembership(settings: EventSourceSettings): MembershipSettings {
  return {
    topic: settings.topic,
    groupId: settings.groupId,
    sessionTimeoutMs: settings.sessionTimeoutMs ?? 10_000,
    rebalanceTimeoutMs: settings.rebalanceTimeoutMs ?? 15_000,
    heartbeatIntervalMs: settings.heartbeatIntervalMs ?? 500,
    maxWaitMs: settings.maxWaitMs ?? 250,
    maxBytesPerPartition: settings.maxBytesPerPartition ?? 256 * 1024,
    concurrency: settings.partitionsAtOnce ?? 16,
    fromBeginning: true,
    stopTimeoutMs: settings.stopTimeoutMs ?? 2_000,
  };
}

/** An adapter's, of the display topic. */
export function displayMembership(settings: DisplaySourceSettings): MembershipSettings {
  return {
    ...eventMembership(settings),
    maxWaitMs: settings.maxWaitMs ?? 100,
    concurrency: 1,
    // What lay there before is too old to be shown.
    fromBeginning: false,
  };
}

/** A gateway's, of its one reply partition. */
export function replyMembership(settings: ReplySourceSettings): MembershipSettings {
  return {
    topic: settings.topic,
    groupId: settings.groupId,
    isGroupOfOne: true,
    sessionTimeoutMs: settings.sessionTimeoutMs ?? 10_000,
    rebalanceTimeoutMs: 15_000,
    heartbeatIntervalMs: settings.heartbeatIntervalMs ?? 150,
    maxWaitMs: settings.maxWaitMs ?? 100,
    maxBytesPerPartition: settings.maxBytesPerPartition ?? 1024 * 1024,
    concurrency: 1,
    // Replies that retention took before they were read are answered by their callers' time-out.
    fromBeginning: false,
    stopTimeoutMs: settings.stopTimeoutMs ?? 2_000,
  };
}
