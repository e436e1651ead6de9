/**
 * kafkajs's producer with the one answer it does not give: when a send fails, whether the records
 * may have reached the broker. Its last error cannot tell (a refused reconnect hides the produce
 * request before it), so the link looks at what went into the sockets instead.
 */
import { Partitioners } from 'kafkajs';
import type { Message, Producer } from 'kafkajs';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { LogMessage, LogProducer, SendOutcome } from '../log-client/log-transport.ts';
import { settleWithin } from '../settle-within.ts';
import { briefRetry, createKafkaClient } from './kafka-client.ts';
import type { KafkaClient } from './kafka-client.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { bufferOf } from './record-headers.ts';

/** `all`: every in-sync replica has it. `leader`: enough for what may be lost. */
export type Acks = 'all' | 'leader';

const reconnectAfterMs = 250;
const stopWithinMs = 1_000;
/** How long the broker itself waits for its replicas; below the request time-out. */
const replicaWaitMs = 3_000;

/** See the file header. */
export class ProducerLink implements LogProducer {
  private readonly topic: string;
  private readonly acks: Acks;
  private readonly deps: KafkaDeps;
  private readonly client: KafkaClient;
  private readonly producer: Producer;
  private readonly stopping = new AbortController();

  constructor(kafka: KafkaSettings, topic: string, acks: Acks, deps: KafkaDeps) {
    this.topic = topic;
    this.acks = acks;
    this.deps = deps;
    this.client = createKafkaClient(kafka, deps.log, briefRetry);
    this.producer = this.client.kafka.producer({
      allowAutoTopicCreation: false,
      // Named although it is the default: the other one kafkajs has would move every key.
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    this.producer.on(this.producer.events.REQUEST_TIMEOUT, ({ payload }) => {
      this.client.sockets.cut(payload.broker);
    });
  }

  /** Resolves when a broker answered, or when `stop` came first. */
  async start(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.producer.connect();
        return;
      } catch (error) {
        this.deps.log.debug({ error: String(error) }, 'no Kafka broker yet for the producer');
        await this.deps.timers.sleep(reconnectAfterMs, this.stopping.signal);
      }
    }
  }

  /**
   * Sends once, with kafkajs's own few retries. Never rejects. Concurrent sends are told apart only
   * on the safe side: one that wrote nothing may be called unknown because of its neighbour.
   */
  async send(messages: readonly LogMessage[]): Promise<SendOutcome> {
    const { sockets } = this.client;
    const producesBefore = sockets.producesWritten;
    try {
      const written = await this.producer.send({
        topic: this.topic,
        acks: this.acks === 'all' ? -1 : 1,
        timeout: replicaWaitMs,
        messages: messages.map(messageOf),
      });
      // kafkajs leaves records of a partition that its metadata lacks out of the request.
      const firstOffsets = written.map(
        ({ partition, baseOffset }) => [partition, BigInt(baseOffset ?? '-1')] as const,
      );
      return { kind: 'stored', firstOffsets: new Map(firstOffsets) };
    } catch (error) {
      if (sockets.producesWritten !== producesBefore) return unknownOutcome(error);
      return { kind: 'notSent', cause: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Closes the connections; what is in flight ends as unknown. Idempotent. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await settleWithin(this.deps.timers, this.producer.disconnect(), stopWithinMs);
    this.client.close();
  }
}

function messageOf({ partition, key, value, headers }: LogMessage): Message {
  return {
    key: key === null ? null : bufferOf(key),
    value: bufferOf(value),
    headers: { ...headers },
    ...(partition === null ? {} : { partition }),
  };
}
