/** A broker's client in memory: what the drivers of the log send and ask through. */
import { Failure } from '../../kernel/failure.ts';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { LogRange } from '../../ports/command-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import type {
  LogMessage,
  LogOffsetReader,
  LogProducer,
  SendOutcome,
} from '../log-client/log-transport.ts';
import { BrokerUnreachable } from './broker-link.ts';
import type { BrokerLink } from './broker-link.ts';
import type { Acks, MemoryBroker } from './memory-broker.ts';

/** Of every twin: whose network it uses. */
export interface MemoryClientSettings {
  readonly broker: MemoryBroker;
  /** Name of the process: `setReach` cuts off or freezes all that it has connected. */
  readonly client: string;
}

/** A request without an answer is given up after this, as the Kafka drivers do by default. */
export const requestTimeoutMs = 5_000;
const reconnectAfterMs = 250;

/** Appends to one topic. */
export class MemoryProducer implements LogProducer {
  private readonly broker: MemoryBroker;
  private readonly link: BrokerLink;
  private readonly topic: string;
  private readonly acks: Acks;
  private readonly ports: DriverPorts;
  private readonly stopping = new AbortController();

  constructor(settings: MemoryClientSettings, topic: string, acks: Acks, ports: DriverPorts) {
    this.broker = settings.broker;
    this.link = settings.broker.connect(settings.client);
    this.topic = topic;
    this.acks = acks;
    this.ports = ports;
  }

  async start(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.link.ask(() => undefined, requestTimeoutMs);
        return;
      } catch (error) {
        this.ports.log.debug({ error: String(error) }, 'no broker yet for the producer');
        await this.ports.timers.sleep(reconnectAfterMs, this.stopping.signal);
      }
    }
  }

  async send(messages: readonly LogMessage[]): Promise<SendOutcome> {
    try {
      const append = (): Map<number, bigint> => this.broker.append(this.topic, messages, this.acks);
      return { kind: 'stored', firstOffsets: await this.link.ask(append, requestTimeoutMs) };
    } catch (error) {
      if (error instanceof BrokerUnreachable && !error.wasSent) {
        return { kind: 'notSent', cause: error.message };
      }
      return unknownOutcome(error);
    }
  }

  stop(): Promise<void> {
    this.stopping.abort();
    this.link.close();
    return Promise.resolve();
  }
}

/** Asks for the ends of one topic's partitions. */
export class MemoryOffsets implements LogOffsetReader {
  private readonly broker: MemoryBroker;
  private readonly link: BrokerLink;
  private readonly topic: string;

  constructor(settings: MemoryClientSettings, topic: string) {
    this.broker = settings.broker;
    this.link = settings.broker.connect(settings.client);
    this.topic = topic;
  }

  range(partition: number): Promise<LogRange> {
    return this.ask(() => this.broker.topic(this.topic).partition(partition).range());
  }

  committed(groupId: string, partition: number): Promise<bigint | null> {
    return this.ask(() => this.broker.group(groupId, this.topic).offsetOf(partition));
  }

  private async ask<T>(question: () => T): Promise<T> {
    try {
      return await this.link.ask(question, requestTimeoutMs);
    } catch (cause) {
      throw new Failure('retry', 'UNAVAILABLE', `offsets of ${this.topic} cannot be read`, {
        cause,
        retryAfterMs: 500,
      });
    }
  }

  stop(): Promise<void> {
    this.link.close();
    return Promise.resolve();
  }
}
