/** Asks the brokers where the log of a partition begins and ends, on a connection of its own. */
import type { Admin } from 'kafkajs';
import { Failure } from '../../kernel/failure.ts';
import type { LogRange } from '../../ports/command-source.ts';
import type { LogOffsetReader } from '../log-client/log-transport.ts';
import { settleWithin } from '../settle-within.ts';
import { briefRetry, createKafkaClient } from './kafka-client.ts';
import type { KafkaClient } from './kafka-client.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';

/** Bound of one question, whatever kafkajs tries meanwhile. */
const askWithinMs = 5_000;
const stopWithinMs = 1_000;

/** See the file header. Connects at the first question. */
export class LogOffsets implements LogOffsetReader {
  private readonly topic: string;
  private readonly deps: KafkaDeps;
  private readonly client: KafkaClient;
  private readonly admin: Admin;
  private connecting: Promise<void> | null = null;

  constructor(kafka: KafkaSettings, topic: string, deps: KafkaDeps) {
    this.topic = topic;
    this.deps = deps;
    this.client = createKafkaClient(kafka, deps.log, briefRetry);
    this.admin = this.client.kafka.admin();
    this.admin.on(this.admin.events.REQUEST_TIMEOUT, ({ payload }) => {
      this.client.sockets.cut(payload.broker);
    });
  }

  /** The retained range, as it was after this call began. Throws Retry when nobody answers. */
  async range(partition: number): Promise<LogRange> {
    const asked = await settleWithin(this.deps.timers, this.ask(), askWithinMs);
    if (asked.kind !== 'done') {
      const cause = asked.kind === 'failed' ? asked.error : new Error('no answer in time');
      throw unreachable(this.topic, cause);
    }
    const row = asked.value.find((candidate) => candidate.partition === partition);
    if (row === undefined) {
      throw unreachable(this.topic, new Error(`the brokers know no partition ${partition}`));
    }
    return { startOffset: BigInt(row.low), endOffset: BigInt(row.high) };
  }

  async stop(): Promise<void> {
    await settleWithin(this.deps.timers, this.admin.disconnect(), stopWithinMs);
    this.client.close();
  }

  private async ask(): ReturnType<Admin['fetchTopicOffsets']> {
    this.connecting ??= this.admin.connect();
    try {
      await this.connecting;
    } catch (error) {
      // The next question connects anew.
      this.connecting = null;
      throw error;
    }
    return this.admin.fetchTopicOffsets(this.topic);
  }
}

function unreachable(topic: string, cause: unknown): Failure {
  return new Failure('retry', 'UNAVAILABLE', `the log range of ${topic} cannot be read`, {
    cause,
    retryAfterMs: 500,
  });
}
