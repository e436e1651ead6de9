/**
 * One batch of event records in the hands of the adapter: read, handed over, and handed over again
 * after a pause as long as the handler rejects it.
 */
import { setMaxListeners } from 'node:events';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { IncomingEvent } from '../../ports/event-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { readEvent } from './log-records.ts';
import type { FetchedBatch } from './log-transport.ts';

/** What the adapter does with a batch. Resolving moves the offset on. */
export type EventHandler = (events: readonly IncomingEvent[], signal: AbortSignal) => Promise<void>;

/** Default pause after a rejection, ms. */
export const sleepBeforeRetryMs = 1_000;

/** Headers and lengths of one record in memory, roughly. */
const recordBytes = 200;

/** See the file header. */
export class EventWork {
  /** The offset after the batch. */
  readonly offsetNext: bigint;
  /** Of its records, with what each costs beside its value. */
  readonly bytes: number;
  private hasBeenRejected = false;
  private readonly partition: number;
  private readonly events: readonly IncomingEvent[];
  private readonly handler: EventHandler;
  private readonly deps: DriverPorts;
  private readonly settings: { readonly groupId: string; readonly retryPauseMs: number };
  private readonly aborting = new AbortController();
  private readonly noMoreTries = new AbortController();

  constructor(
    batch: FetchedBatch,
    handler: EventHandler,
    deps: DriverPorts,
    settings: { readonly groupId: string; readonly retryPauseMs: number },
  ) {
    // In an outage each room of the batch waits on it, and Node would warn of a leak at the eleventh.
    setMaxListeners(0, this.aborting.signal);
    this.offsetNext = batch.lastOffset + 1n;
    const { records } = batch;
    this.bytes = records.reduce((sum, { value }) => sum + recordBytes + (value?.length ?? 0), 0);
    this.partition = batch.partition;
    this.handler = handler;
    this.deps = deps;
    this.settings = settings;
    this.events = records.map((record) => this.read(record)).filter((event) => event !== null);
  }

  /** The handler rejected it, and has not resolved since. */
  get isRejected(): boolean {
    return this.hasBeenRejected;
  }

  /** Runs until the handler resolved (true) or the work was given up (false). Never rejects. */
  async run(): Promise<boolean> {
    if (this.events.length === 0) return true;
    for (;;) {
      try {
        await this.handler(this.events, this.aborting.signal);
        this.hasBeenRejected = false;
        return !this.aborting.signal.aborted;
      } catch (error) {
        this.hasBeenRejected = true;
        const { log, metrics, timers } = this.deps;
        const { groupId, retryPauseMs } = this.settings;
        if (this.noMoreTries.signal.aborted) return false;
        metrics.count('roomcell_kafka_event_batch_retried_total', { group: groupId });
        const fields = { groupId, partition: this.partition, error };
        log.warn(fields, 'a batch of events was rejected; it comes again');
        await timers.sleep(retryPauseMs, this.noMoreTries.signal);
        if (this.noMoreTries.signal.aborted) return false;
      }
    }
  }

  /** The try under way may still succeed; there is no further one. */
  giveUpRetries(): void {
    this.noMoreTries.abort();
  }

  /** The partition is lost or the time is up: the handler should end, and its result counts no more. */
  abort(): void {
    this.noMoreTries.abort();
    this.aborting.abort();
  }

  private read(record: SourceRecord): IncomingEvent | null {
    const event = readEvent(record);
    if (event !== null) return event;
    // Skipped and not retried: the outbox row is still there, and its relay publishes it again.
    const { groupId } = this.settings;
    const { partition, offset, headers } = record;
    this.deps.metrics.count('roomcell_kafka_events_unreadable_total', { group: groupId });
    const fields = { groupId, partition, offset, headers };
    this.deps.log.warn(fields, 'an event record without key, value or headers was skipped');
    return null;
  }
}
