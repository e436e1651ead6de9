/**
 * The commands topic as the gateway writes it. What comes while a send is in flight is gathered and
 * goes out together, one send per partition at a time, so that a retry inside the broker's client
 * can never let a later record pass.
 */
import type { CommandSink, OutgoingRecord, ProduceOutcome } from '../../ports/command-sink.ts';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { settleWithin } from '../settle-within.ts';
import { BrokerHealth } from './broker-health.ts';
import { commandMessage } from './log-records.ts';
import type { LogOffsetReader, LogProducer, SendOutcome } from './log-transport.ts';
import { ProduceQueue } from './produce-queue.ts';
import type { PendingRecord } from './produce-queue.ts';

/** Times in ms. */
export interface CommandSinkSettings {
  readonly topic: string;
  /** A record has its outcome within this, whatever the broker does. Default 5000. */
  readonly settleWithinMs?: number;
  /** Records that may wait; beyond that `notSent`. Default 20000. */
  readonly queueRecordsMax?: number;
  /** Bytes that may wait; beyond that `notSent`. Default 32 MiB. */
  readonly queueBytesMax?: number;
  /** A larger record is refused as `notSent`. Default 900 KiB. */
  readonly recordBytesMax?: number;
  /** Default 2000. */
  readonly batchRecordsMax?: number;
  /** Default 512 KiB: the broker takes 1 MiB. */
  readonly batchBytesMax?: number;
  /** Sends under way at once, of different partitions. Default 4. */
  readonly inFlightMax?: number;
  /** `stop` waits so long for what is in flight. Default 5000. */
  readonly stopTimeoutMs?: number;
}

/** What the broker adds to each record, roughly: lengths, header names, batch share. */
const recordOverheadBytes = 100;

/** See the file header, and the port for the guarantees. */
export class LogCommandSink implements CommandSink {
  private readonly settings: Required<CommandSinkSettings>;
  private readonly deps: DriverPorts;
  private readonly producer: LogProducer;
  private readonly offsets: LogOffsetReader;
  private readonly health: BrokerHealth;
  private readonly queue = new ProduceQueue();
  private readonly inFlight = new Set<Promise<void>>();
  private phase: 'new' | 'running' | 'stopped' = 'new';
  private pumpAsked = false;
  private stopped: Promise<void> | null = null;

  /** Nothing is connected before `start`. */
  constructor(
    settings: CommandSinkSettings,
    transport: { readonly producer: LogProducer; readonly offsets: LogOffsetReader },
    deps: DriverPorts,
  ) {
    this.settings = {
      settleWithinMs: 5_000,
      queueRecordsMax: 20_000,
      queueBytesMax: 32 * 1024 * 1024,
      recordBytesMax: 900 * 1024,
      batchRecordsMax: 2_000,
      batchBytesMax: 512 * 1024,
      inFlightMax: 4,
      stopTimeoutMs: 5_000,
      ...settings,
    };
    this.deps = deps;
    this.producer = transport.producer;
    this.offsets = transport.offsets;
    this.health = new BrokerHealth(async () => void (await this.offsets.range(0)), deps);
  }

  async start(): Promise<void> {
    await this.producer.start();
    if (this.stopped !== null) return;
    this.phase = 'running';
    this.health.start();
  }

  produce(record: OutgoingRecord): Promise<ProduceOutcome> {
    const refusal = this.refusalOf(record);
    if (refusal !== null) {
      this.deps.metrics.count('roomcell_kafka_produce_refused_total', { why: refusal });
      return Promise.resolve({ kind: 'notSent', cause: refusal });
    }
    return new Promise((resolve) => {
      this.queue.push(this.pending(record, resolve));
      this.askPump();
    });
  }

  async endOffset(partition: number): Promise<bigint> {
    return (await this.offsets.range(partition)).endOffset;
  }

  isHealthy(): boolean {
    return this.phase === 'running' && this.health.isHealthy();
  }

  stop(): Promise<void> {
    this.stopped ??= this.drainAndClose();
    return this.stopped;
  }

  private refusalOf(record: OutgoingRecord): string | null {
    const { recordBytesMax, queueRecordsMax, queueBytesMax } = this.settings;
    if (this.phase !== 'running') return this.phase === 'new' ? 'not started' : 'stopped';
    if (sizeOf(record) > recordBytesMax) return 'record too large';
    if (this.queue.size >= queueRecordsMax || this.queue.bytes >= queueBytesMax)
      return 'queue full';
    return null;
  }

  private pending(
    record: OutgoingRecord,
    resolve: (outcome: ProduceOutcome) => void,
  ): PendingRecord {
    const { settleWithinMs } = this.settings;
    const pending = {
      record,
      bytes: sizeOf(record),
      settled: false,
      sent: false,
      settle(outcome: ProduceOutcome): void {
        if (pending.settled) return;
        pending.settled = true;
        cancel();
        resolve(outcome);
      },
    };
    const cancel = this.deps.timers.after(settleWithinMs, () => {
      // Still waiting: settled records are never taken into a batch, so `notSent` stays true.
      const cause = `no acknowledgement within ${settleWithinMs} ms`;
      pending.settle(pending.sent ? unknownOutcome(cause) : { kind: 'notSent', cause });
    });
    return pending;
  }

  /** In a microtask, so that what one turn of the event loop produces goes out together. */
  private askPump(): void {
    if (this.pumpAsked) return;
    this.pumpAsked = true;
    queueMicrotask(() => {
      this.pumpAsked = false;
      this.pump();
    });
  }

  private pump(): void {
    const { inFlightMax, batchRecordsMax, batchBytesMax } = this.settings;
    while (this.inFlight.size < inFlightMax) {
      const batch = this.queue.takeBatch({ records: batchRecordsMax, bytes: batchBytesMax });
      if (batch.length === 0) return;
      const flight = this.sendBatch(batch).finally(() => {
        this.inFlight.delete(flight);
        this.queue.landed(batch);
        this.pump();
      });
      this.inFlight.add(flight);
    }
  }

  private async sendBatch(batch: readonly PendingRecord[]): Promise<void> {
    const { clock, metrics } = this.deps;
    const startedAt = clock.monoMs();
    const outcome = await this.producer.send(batch.map(({ record }) => commandMessage(record)));
    metrics.observeMs('roomcell_kafka_produce_ms', clock.monoMs() - startedAt, {
      topic: this.settings.topic,
    });
    metrics.count(
      'roomcell_kafka_produced_total',
      { topic: this.settings.topic, outcome: outcome.kind },
      batch.length,
    );
    if (outcome.kind === 'stored') this.health.answered();
    else this.health.failed();
    settleBatch(batch, outcome);
  }

  private async drainAndClose(): Promise<void> {
    this.phase = 'stopped';
    this.health.stop();
    await settleWithin(this.deps.timers, this.landAll(), this.settings.stopTimeoutMs);
    for (const pending of this.queue.drain()) pending.settle({ kind: 'notSent', cause: 'stopped' });
    // Ends what is still in flight; its outcome says what is certain.
    await Promise.all([this.producer.stop(), this.offsets.stop()]);
  }

  /** Resolves when nothing waits and nothing is in flight. */
  private async landAll(): Promise<void> {
    for (;;) {
      this.pump();
      if (this.inFlight.size === 0) return;
      await Promise.race(this.inFlight);
    }
  }
}

function settleBatch(batch: readonly PendingRecord[], outcome: SendOutcome): void {
  if (outcome.kind !== 'stored') {
    for (const pending of batch) pending.settle(outcome);
    return;
  }
  const nextOffsets = new Map(outcome.firstOffsets);
  for (const pending of batch) {
    const { partition } = pending.record;
    const offset = nextOffsets.get(partition);
    if (offset === undefined) {
      pending.settle({ kind: 'notSent', cause: `the topic has no partition ${partition}` });
    } else {
      nextOffsets.set(partition, offset + 1n);
      pending.settle({ kind: 'stored', offset });
    }
  }
}

function sizeOf({ key, value, headers }: OutgoingRecord): number {
  let bytes = key.length + value.length + recordOverheadBytes;
  for (const [name, text] of Object.entries(headers)) bytes += name.length + text.length;
  return bytes;
}
