/** Asks the brokers where the log of a partition begins and ends, on a connection of its own. */
import type { Admin } from 'kafkajs';
import { Failure } from '../../kernel/failure.ts';
import type { LogRange } from '../../ports/command-source.ts';
import type { LogOffsetReader } from '../log-client/log-transport.ts';
import { SharedLook } from '../../kernel/shared-look.ts';
import { settleWithin } from '../settle-within.ts';
import { briefRetry, createKafkaClient } from './kafka-client.ts';
import type { KafkaClient } from './kafka-client.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';

/** Bound of one question, whatever kafkajs tries meanwhile. */
const askWithinMs = 5_000;
const stopWithinMs = 1_000;

/** Which stored offset is asked for. */
interface StoredOffset {
  readonly groupId: string;
  readonly partition: number;
}

/**
 * See the file header. Connects at the first question. The brokers answer for all partitions of a topic,
 * so takeovers of many partitions ask together.
 */
export class LogOffsets implements LogOffsetReader {
  private readonly topic: string;
  private readonly deps: KafkaDeps;
  private readonly client: KafkaClient;
  private readonly admin: Admin;
  private connecting: Promise<void> | null = null;
  /** Low and high of the partition asked for; undefined where the brokers know none. */
  private readonly ranges: SharedLook<number, { low: string; high: string } | undefined>;
  /** A group's stored offset of a partition as the library says it. */
  private readonly stored: SharedLook<StoredOffset, string | undefined>;

  constructor(kafka: KafkaSettings, topic: string, deps: KafkaDeps) {
    this.topic = topic;
    this.deps = deps;
    this.client = createKafkaClient(kafka, deps.log, briefRetry);
    this.admin = this.client.kafka.admin();
    this.ranges = new SharedLook<number, { low: string; high: string } | undefined>(async () => {
      const rows = await this.ask(() => this.admin.fetchTopicOffsets(topic));
      return (wanted) => rows.find(({ partition }) => partition === wanted);
    });
    this.stored = new SharedLook((asked) => this.readStored(asked));
    this.admin.on(this.admin.events.REQUEST_TIMEOUT, ({ payload }) => {
      this.client.sockets.cut(payload.broker);
    });
  }

  async range(partition: number): Promise<LogRange> {
    const row = await this.ranges.ask(partition);
    if (row === undefined) {
      throw unreachable(this.topic, new Error(`the brokers know no partition ${partition}`));
    }
    return { startOffset: BigInt(row.low), endOffset: BigInt(row.high) };
  }

  async committed(groupId: string, partition: number): Promise<bigint | null> {
    const offset = await this.stored.ask({ groupId, partition });
    // The library says -1 where the group has none.
    return offset === undefined || offset === '-1' ? null : BigInt(offset);
  }

  async stop(): Promise<void> {
    await settleWithin(this.deps.timers, this.admin.disconnect(), stopWithinMs);
    this.client.close();
  }

  private async readStored(
    asked: readonly StoredOffset[],
  ): Promise<(wanted: StoredOffset) => string | undefined> {
    const { topic, admin } = this;
    const groups = [...new Set(asked.map(({ groupId }) => groupId))];
    const answers = await Promise.all(
      groups.map(async (groupId) => {
        const topics = await this.ask(() => admin.fetchOffsets({ groupId, topics: [topic] }));
        return topics.find((found) => found.topic === topic)?.partitions ?? [];
      }),
    );
    return ({ groupId, partition }) =>
      answers[groups.indexOf(groupId)]?.find((row) => row.partition === partition)?.offset;
  }

  private async ask<T>(question: () => Promise<T>): Promise<T> {
    const asked = await settleWithin(this.deps.timers, this.connected(question), askWithinMs);
    if (asked.kind === 'done') return asked.value;
    const cause = asked.kind === 'failed' ? asked.error : new Error('no answer in time');
    throw unreachable(this.topic, cause);
  }

  private async connected<T>(question: () => Promise<T>): Promise<T> {
    this.connecting ??= this.admin.connect();
    try {
      await this.connecting;
    } catch (error) {
      // The next question connects anew.
      this.connecting = null;
      throw error;
    }
    return question();
  }
}

function unreachable(topic: string, cause: unknown): Failure {
  return new Failure('retry', 'UNAVAILABLE', `offsets of ${topic} cannot be read`, {
    cause,
    retryAfterMs: 500,
  });
}
