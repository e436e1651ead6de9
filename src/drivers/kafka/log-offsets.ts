/** Asks the brokers where the log of a partition begins and ends, on a connection of its own. */
import type { Admin } from 'kafkajs';
import { Failure } from '../../kernel/failure.ts';
import type { LogRange } from '../../ports/command-source.ts';
import type { LogOffsetReader } from '../log-client/log-transport.ts';
import { settleWithin } from '../settle-within.ts';
import { briefRetry, createKafkaClient } from './kafka-client.ts';
import type { KafkaClient } from './kafka-client.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { SharedQuestion } from './shared-question.ts';

/** Bound of one question, whatever kafkajs tries meanwhile. */
const askWithinMs = 5_000;
const stopWithinMs = 1_000;

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
  private readonly ranges: SharedQuestion<Awaited<ReturnType<Admin['fetchTopicOffsets']>>>;
  private readonly stored = new Map<
    string,
    SharedQuestion<Awaited<ReturnType<Admin['fetchOffsets']>>>
  >();

  constructor(kafka: KafkaSettings, topic: string, deps: KafkaDeps) {
    this.topic = topic;
    this.deps = deps;
    this.client = createKafkaClient(kafka, deps.log, briefRetry);
    this.admin = this.client.kafka.admin();
    this.ranges = new SharedQuestion(() => this.ask(() => this.admin.fetchTopicOffsets(topic)));
    this.admin.on(this.admin.events.REQUEST_TIMEOUT, ({ payload }) => {
      this.client.sockets.cut(payload.broker);
    });
  }

  async range(partition: number): Promise<LogRange> {
    const rows = await this.ranges.answer();
    const row = rows.find((candidate) => candidate.partition === partition);
    if (row === undefined) {
      throw unreachable(this.topic, new Error(`the brokers know no partition ${partition}`));
    }
    return { startOffset: BigInt(row.low), endOffset: BigInt(row.high) };
  }

  async committed(groupId: string, partition: number): Promise<bigint | null> {
    const topics = await this.storedOf(groupId).answer();
    const stored = topics
      .find(({ topic }) => topic === this.topic)
      ?.partitions.find((candidate) => candidate.partition === partition);
    // The library says -1 where the group has none.
    return stored === undefined || stored.offset === '-1' ? null : BigInt(stored.offset);
  }

  async stop(): Promise<void> {
    await settleWithin(this.deps.timers, this.admin.disconnect(), stopWithinMs);
    this.client.close();
  }

  private storedOf(groupId: string): SharedQuestion<Awaited<ReturnType<Admin['fetchOffsets']>>> {
    const known = this.stored.get(groupId);
    if (known !== undefined) return known;
    const { topic, admin } = this;
    const question = new SharedQuestion(() =>
      this.ask(() => admin.fetchOffsets({ groupId, topics: [topic] })),
    );
    this.stored.set(groupId, question);
    return question;
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
