/**
 * A broker's part that belongs to one test, seen through the log's ports and a few operations from
 * outside. Contract suites of the log are written against this; Kafka and the memory broker have one
 * each.
 */
import type { CommandSinkSettings } from '../../src/drivers/log-client/log-command-sink.ts';
import type { CommandSourceSettings } from '../../src/drivers/log-client/log-command-source.ts';
import type { DisplaySinkSettings } from '../../src/drivers/log-client/log-display-sink.ts';
import type { DisplaySourceSettings } from '../../src/drivers/log-client/log-display-source.ts';
import type { EventSinkSettings } from '../../src/drivers/log-client/log-event-sink.ts';
import type { EventSourceSettings } from '../../src/drivers/log-client/log-event-source.ts';
import type { ReplySinkSettings } from '../../src/drivers/log-client/log-reply-sink.ts';
import type { ReplySourceSettings } from '../../src/drivers/log-client/log-reply-source.ts';
import type { TopicPlan, TopicReport } from '../../src/drivers/log-client/topic-plan.ts';
import type { CommandSink } from '../../src/ports/command-sink.ts';
import type { CommandSource, LogRange } from '../../src/ports/command-source.ts';
import type { DisplaySink } from '../../src/ports/display-sink.ts';
import type { DisplaySource } from '../../src/ports/display-source.ts';
import type { EventSink } from '../../src/ports/event-sink.ts';
import type { EventSource } from '../../src/ports/event-source.ts';
import type { ReplySink } from '../../src/ports/reply-sink.ts';
import type { ReplySource } from '../../src/ports/reply-source.ts';
import type { TopicNames } from '../../src/protocol/topics.ts';
import type { DriverDeps } from './driver-deps.ts';

/** `far`: over the network that a fault test may disturb. `near`: never disturbed. */
export type Where = 'near' | 'far';

/** See the file header. Every driver made here has ports of its own; `deps` are the test's. */
export interface LogSpace {
  readonly topics: TopicNames;
  /** Groups and topics of this space begin with it. */
  readonly prefix: string;
  /** Fresh ports on the clock by which everything here runs. */
  deps(): DriverDeps;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
  commandSink(settings: Partial<CommandSinkSettings>, deps: DriverDeps, where?: Where): CommandSink;
  commandSource(
    settings: Partial<CommandSourceSettings> & { readonly instanceName: string },
    deps: DriverDeps,
    where?: Where,
  ): CommandSource;
  eventSink(settings: Partial<EventSinkSettings>, deps: DriverDeps, where?: Where): EventSink;
  eventSource(
    settings: Partial<EventSourceSettings> & {
      readonly instanceName: string;
      readonly groupId: string;
    },
    deps: DriverDeps,
    where?: Where,
  ): EventSource;
  replySink(settings: ReplySinkSettings, deps: DriverDeps, where?: Where): ReplySink;
  replySource(
    settings: Partial<ReplySourceSettings> & { readonly groupId: string },
    deps: DriverDeps,
    where?: Where,
  ): ReplySource;
  displaySink(settings: DisplaySinkSettings, deps: DriverDeps, where?: Where): DisplaySink;
  displaySource(
    settings: Partial<DisplaySourceSettings> & { readonly instanceName: string },
    deps: DriverDeps,
    where?: Where,
  ): DisplaySource;
  /** Creates what is missing of a plan under another prefix. */
  ensureTopics(plan: TopicPlan, signal?: AbortSignal): Promise<TopicReport>;
  /** A topic as somebody else made it. */
  createOddTopic(name: string, partitionCount: number): Promise<void>;
  deleteTopics(names: readonly string[]): Promise<void>;
  range(topic: string, partition: number): Promise<LogRange>;
  /** Deletes all records below `offset`. */
  moveStart(topic: string, partition: number, offset: bigint): Promise<void>;
  /** Appends one record, and an offset behind it that holds none. */
  leaveGap(topic: string, partition: number): Promise<void>;
  /** The offset that a group has stored; null when none. */
  storedOffset(groupId: string, topic: string, partition: number): Promise<bigint | null>;
  close(): Promise<void>;
}

/** What a fault suite needs on top. */
export interface FaultyLogSpace extends LogSpace {
  /** The far side loses its connections and gets no new ones. */
  refuse(): Promise<void>;
  /** The far side's processes stand still: nothing comes, nothing goes, nobody gives up. */
  freeze(): void;
  /** Ends refuse and freeze. */
  heal(): Promise<void>;
  /** Of the next far produce to `topic`: stored, unanswered. Resolves when that has happened. */
  loseNextAck(topic: string): Promise<void>;
  /** Of the next far produce: gone on the way, and nobody can tell. */
  loseNextProduce(topic: string): Promise<void>;
  /** The answer is lost, the client tries again, and that answer comes. */
  repeatNextProduce(topic: string): Promise<void>;
  /** Deletes a topic and makes it again under its name. */
  recreateTopic(name: string): Promise<void>;
  /** Sets a group's stored offset; the group must have no members. */
  rewind(groupId: string, topic: string, partition: number, offset: bigint): Promise<void>;
  /** A new member joins a group and stores the offset of a partition that it was not given. */
  commitAsStranger(groupId: string, topic: string, offset: bigint): Promise<number>;
}

/** What a plan needs where there is one broker. */
export const onOneBroker = {
  commandPartitions: 4,
  replyPartitions: 4,
  eventPartitions: { im: 2, activity: 2, rtc: 2 },
  displayPartitions: 2,
  replicationFactor: 1,
  minInsyncReplicas: 1,
} as const;

/** `from`, `from + 1` … `to − 1`. */
export function offsetRange(from: number, to: number): bigint[] {
  return Array.from({ length: to - from }, (_, index) => BigInt(from + index));
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
