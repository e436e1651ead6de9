/**
 * The reply topic as the cell writes it: what gathers while a send is in flight goes out with the
 * next one. Acknowledged by the leader only and dropped when it cannot be sent, because a lost reply
 * costs its caller one retry and a waiting cell would cost everybody.
 */
import { BoundedQueue } from '../../kernel/bounded-queue.ts';
import type { OutgoingReply, ReplySink } from '../../ports/reply-sink.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { settleWithin } from '../settle-within.ts';
import { replyMessage } from './log-records.ts';
import type { LogProducer } from './log-transport.ts';

/** Times in ms. */
export interface ReplySinkSettings {
  /** Replies that may wait; beyond that the oldest is dropped. Default 20000. */
  readonly queueMax?: number;
  /** Default 1000. */
  readonly batchRecordsMax?: number;
  /** Default 512 KiB. */
  readonly batchBytesMax?: number;
  /** `stop` waits so long for what is still to be sent. Default 2000. */
  readonly stopTimeoutMs?: number;
}

interface Numbered {
  readonly number: number;
  readonly reply: OutgoingReply;
}

interface FlushWaiter {
  /** Everything below this number must be sent or dropped. */
  readonly upTo: number;
  readonly done: () => void;
}

/** See the file header, and the port for the guarantees. */
export class LogReplySink implements ReplySink {
  private readonly settings: Required<ReplySinkSettings>;
  private readonly deps: DriverPorts;
  private readonly producer: LogProducer;
  private readonly queue: BoundedQueue<Numbered>;
  private flushWaiters: FlushWaiter[] = [];
  private nextNumber = 0;
  /** Number of the oldest reply in flight, or null when none is. */
  private inFlightFrom: number | null = null;
  private phase: 'new' | 'running' | 'stopped' = 'new';
  private pumpAsked = false;

  /** Replies given before `start` has resolved wait for it. */
  constructor(settings: ReplySinkSettings, producer: LogProducer, deps: DriverPorts) {
    this.settings = {
      queueMax: 20_000,
      batchRecordsMax: 1_000,
      batchBytesMax: 512 * 1024,
      stopTimeoutMs: 2_000,
      ...settings,
    };
    this.deps = deps;
    this.producer = producer;
    this.queue = new BoundedQueue(this.settings.queueMax);
  }

  async start(): Promise<void> {
    await this.producer.start();
    if (this.phase === 'new') this.phase = 'running';
    this.askPump();
  }

  send(replies: readonly OutgoingReply[]): void {
    for (const reply of replies) this.enqueue(reply);
    this.askPump();
  }

  flush(): Promise<void> {
    if (this.oldestPending() >= this.nextNumber) return Promise.resolve();
    const upTo = this.nextNumber;
    return new Promise((done) => this.flushWaiters.push({ upTo, done }));
  }

  async stop(): Promise<void> {
    if (this.phase === 'running') {
      await settleWithin(this.deps.timers, this.flush(), this.settings.stopTimeoutMs);
    }
    this.phase = 'stopped';
    this.countDropped('stopped', this.queue.drain().length);
    await this.producer.stop();
    this.tellFlushed();
  }

  private enqueue(reply: OutgoingReply): void {
    if (this.phase === 'stopped') {
      this.countDropped('stopped', 1);
      return;
    }
    const numbered = { number: this.nextNumber, reply };
    this.nextNumber += 1;
    if (this.queue.push(numbered)) return;
    this.queue.shift();
    this.countDropped('queue_full', 1);
    this.queue.push(numbered);
  }

  /** In a microtask, so that the replies of one commit go out together. */
  private askPump(): void {
    if (this.pumpAsked) return;
    this.pumpAsked = true;
    queueMicrotask(() => {
      this.pumpAsked = false;
      if (this.inFlightFrom === null && this.phase === 'running') void this.pump();
    });
  }

  private async pump(): Promise<void> {
    for (let batch = this.takeBatch(); batch.length > 0; batch = this.takeBatch()) {
      this.inFlightFrom = batch[0]?.number ?? null;
      const outcome = await this.producer.send(batch.map(({ reply }) => replyMessage(reply)));
      if (outcome.kind !== 'stored') {
        this.countDropped(outcome.kind, batch.length);
        this.deps.log.debug({ ...outcome, replies: batch.length }, 'replies were not sent');
      }
      this.inFlightFrom = null;
      this.tellFlushed();
      if (this.phase !== 'running') return;
    }
  }

  private takeBatch(): Numbered[] {
    const { batchRecordsMax, batchBytesMax } = this.settings;
    const batch: Numbered[] = [];
    let bytes = 0;
    while (batch.length < batchRecordsMax && bytes < batchBytesMax) {
      const numbered = this.queue.shift();
      if (numbered === undefined) break;
      batch.push(numbered);
      bytes += numbered.reply.value.length;
    }
    return batch;
  }

  private oldestPending(): number {
    return this.inFlightFrom ?? this.queue.peek()?.number ?? this.nextNumber;
  }

  private tellFlushed(): void {
    const oldest = this.phase === 'stopped' ? this.nextNumber : this.oldestPending();
    const [done, waiting] = split(this.flushWaiters, ({ upTo }) => oldest >= upTo);
    this.flushWaiters = waiting;
    for (const waiter of done) waiter.done();
  }

  private countDropped(why: string, replies: number): void {
    if (replies > 0) {
      this.deps.metrics.count('roomcell_kafka_replies_dropped_total', { why }, replies);
    }
  }
}

function split<T>(elements: readonly T[], isFirst: (element: T) => boolean): [T[], T[]] {
  const first: T[] = [];
  const second: T[] = [];
  for (const element of elements) (isFirst(element) ? first : second).push(element);
  return [first, second];
}
