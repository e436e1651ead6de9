/**
 * A destination's topic as the relay writes it. Records are keyed by the room, so that one room's
 * events stay on one partition; the relay has one unconfirmed run per room, so no order has to be
 * kept between calls.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { EventSink, PublishOutcome } from '../../ports/event-sink.ts';
import type { ClaimedRun } from '../../ports/outbox-store.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { settleWithin } from '../settle-within.ts';
import { eventMessages } from './log-records.ts';
import type { LogMessage, LogProducer } from './log-transport.ts';

/** One sink per destination. */
export interface EventSinkSettings {
  readonly topic: string;
  /** Bytes of envelopes in one send. Default 512 KiB: the broker takes 1 MiB. */
  readonly sendBytesMax?: number;
}

const defaultSendBytesMax = 512 * 1024;
/** Headers and lengths of one record, roughly. */
const recordOverheadBytes = 150;

/** A row as a record, and the run (by index) that it belongs to. */
interface RunRecord {
  readonly run: number;
  readonly message: LogMessage;
  readonly bytes: number;
}

/** See the file header, and the port for the guarantees. */
export class LogEventSink implements EventSink {
  private readonly settings: EventSinkSettings;
  private readonly producer: LogProducer;
  private readonly deps: DriverPorts;

  /** Nothing is connected before `start`. */
  constructor(settings: EventSinkSettings, producer: LogProducer, deps: DriverPorts) {
    this.settings = settings;
    this.producer = producer;
    this.deps = deps;
  }

  start(): Promise<void> {
    return this.producer.start();
  }

  async publish(
    runs: readonly ClaimedRun[],
    timeoutMs: number,
  ): Promise<readonly PublishOutcome[]> {
    const deadlineMs = this.deps.clock.monoMs() + timeoutMs;
    const outcomes = new Map<number, PublishOutcome>();
    // One portion after another: a run longer than a portion must stay in order.
    for (const portion of this.portionsOf(runs)) {
      // The rest of a run whose beginning failed must not go out in front of it.
      const records = portion.filter(
        ({ run }) => (outcomes.get(run)?.kind ?? 'stored') === 'stored',
      );
      if (records.length === 0) continue;
      const outcome = await this.sendWithin(records, deadlineMs);
      for (const run of new Set(records.map((record) => record.run))) {
        outcomes.set(run, combined(outcomes.get(run), outcome));
      }
    }
    return runs.map((_, run) => outcomes.get(run) ?? { kind: 'stored' });
  }

  stop(): Promise<void> {
    return this.producer.stop();
  }

  private async sendWithin(
    records: readonly RunRecord[],
    deadlineMs: number,
  ): Promise<PublishOutcome> {
    const { clock, timers, metrics } = this.deps;
    const leftMs = deadlineMs - clock.monoMs();
    if (leftMs <= 0) return { kind: 'notSent', cause: 'the time for publishing was used up' };
    const sending = this.producer.send(records.map(({ message }) => message));
    const sent = await settleWithin(timers, sending, leftMs);
    const outcome =
      sent.kind === 'done' ? sent.value : unknownOutcome('no acknowledgement in time');
    metrics.count(
      'roomcell_kafka_produced_total',
      { topic: this.settings.topic, outcome: outcome.kind },
      records.length,
    );
    return outcome.kind === 'stored' ? { kind: 'stored' } : outcome;
  }

  private *portionsOf(runs: readonly ClaimedRun[]): Iterable<readonly RunRecord[]> {
    const bytesMax = this.settings.sendBytesMax ?? defaultSendBytesMax;
    let portion: RunRecord[] = [];
    let bytes = 0;
    for (const record of recordsOf(runs)) {
      if (portion.length > 0 && bytes + record.bytes > bytesMax) {
        yield portion;
        portion = [];
        bytes = 0;
      }
      portion.push(record);
      bytes += record.bytes;
    }
    if (portion.length > 0) yield portion;
  }
}

/** Outcome of a run whose rows went out in more than one send. */
function combined(before: PublishOutcome | undefined, now: PublishOutcome): PublishOutcome {
  // Its first rows are stored, so even a certain `notSent` of the rest is not one of the run.
  if (before?.kind === 'stored' && now.kind === 'notSent') return unknownOutcome(now.cause);
  return now;
}

function* recordsOf(runs: readonly ClaimedRun[]): Iterable<RunRecord> {
  for (const [run, claimed] of runs.entries()) {
    for (const message of eventMessages(claimed)) {
      const { key, value } = message;
      yield { run, message, bytes: value.length + (key?.length ?? 0) + recordOverheadBytes };
    }
  }
}
