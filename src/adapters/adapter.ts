/**
 * An adapter: takes a destination's event records, sends them in order per room and writes into the
 * outbox how each run ended. Only this makes a row `delivered`, so the row tells the truth about
 * the destination and not about the topic. The topic's offset means nothing here: a record that is
 * lost comes again when its claim runs out, one that comes twice is started twice and sent once.
 */
import { backoffMs } from '../kernel/backoff.ts';
import { Failure } from '../kernel/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSource, IncomingEvent } from '../ports/event-source.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { OutboxStore, RunFinish } from '../ports/outbox-store.ts';
import type { Random } from '../ports/random.ts';
import type { Timers } from '../ports/timers.ts';
import type { Trace } from '../ports/trace.ts';
import type { Wake } from '../ports/wake.ts';
import { checkAdapterOptions } from './adapter-options.ts';
import type { AdapterOptions } from './adapter-options.ts';
import { ConfirmedEvents } from './confirmed-events.ts';
import type { EventSender } from './event-sender.ts';
import { OutageWatch } from './outage-watch.ts';
import type { ReadEnvelope } from './read-envelope.ts';
import { roomLanes } from './room-lanes.ts';
import type { IncomingRun, RoomLane } from './room-lanes.ts';
import { RoomWork } from './room-work.ts';
import { RunGate } from './run-gate.ts';
import type { OnDelivered } from './schedule-launches.ts';
import type { SendContext, StartedEvent } from './send-context.ts';
import { sendRun } from './send-run.ts';

/** What an adapter stands on. */
export interface AdapterContext {
  readonly source: EventSource;
  readonly store: OutboxStore;
  readonly readEnvelope: ReadEnvelope;
  /** Hinted after a run: the room's next rows can be claimed now. */
  readonly wake: Wake;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
  /** Told of each event once its row is delivered. */
  readonly onDelivered?: OnDelivered;
  /** The source ended by itself; whoever runs the adapter starts it again or ends the process. */
  readonly onCrashed: (cause: unknown) => void;
}

/** Pauses while MySQL is out of reach. */
const storeBackoff = { initialMs: 50, maxMs: 2_000 };

/** See the file header. `start` once; `drain` and `stop` are idempotent. */
export class Adapter {
  private readonly context: AdapterContext;
  private readonly options: AdapterOptions;
  private readonly sending: SendContext;
  private readonly gate = new RunGate();
  private readonly rooms: RoomWork;
  private stopped: Promise<void> | null = null;
  private isStoreAway = false;

  constructor(context: AdapterContext, sender: EventSender, options: AdapterOptions) {
    this.context = context;
    this.options = options;
    this.rooms = new RoomWork(options.concurrentRooms);
    this.sending = {
      sender,
      readEnvelope: context.readEnvelope,
      confirmed: new ConfirmedEvents(options.rememberedEvents),
      outage: new OutageWatch(),
      clock: context.clock,
      random: context.random,
      log: context.log,
      metrics: context.metrics,
      options,
    };
  }

  /** Rejects with a Reject failure for bad options, with the source's own failure otherwise. */
  async start(): Promise<void> {
    checkAdapterOptions(this.options);
    await this.context.source.start({
      onEvents: (events, signal) => this.onEvents(events, signal),
      onCrashed: (cause) => this.context.onCrashed(cause),
    });
  }

  /** Takes no further batch; the one in hand ends its sends and finishes its runs. */
  drain(): Promise<void> {
    this.stopped ??= this.context.source.stop();
    return this.stopped;
  }

  /** The same: what a drain leaves over runs out by itself. */
  stop(): Promise<void> {
    return this.drain();
  }

  /** True while the destination takes no events at all; for the readiness probe. */
  get isOutage(): boolean {
    return this.sending.outage.isOutage;
  }

  /**
   * Handles one batch, beside others: of a room, what came first goes first. Rejects when it was not
   * worked on to the end (shut-down): the batch then comes again somewhere, and whatever was finished is
   * skipped by its start.
   */
  async onEvents(events: readonly IncomingEvent[], signal: AbortSignal): Promise<void> {
    await this.rooms.all(roomLanes(events), (lane) => this.workLane(lane, signal));
  }

  private async workLane(lane: RoomLane, signal: AbortSignal): Promise<void> {
    for (const run of lane.runs) {
      if (signal.aborted) throw draining();
      await this.workRun(lane, run, signal);
    }
  }

  private async workRun(lane: RoomLane, run: IncomingRun, signal: AbortSignal): Promise<void> {
    const isSuspect = run.events.some((event) => event.isSuspect);
    // Before the start, which counts: see run-gate.ts.
    const leave = await this.gate.enter(isSuspect, signal);
    if (leave === null) throw draining();
    try {
      await this.sendAndFinish(lane, run, signal);
    } finally {
      leave();
    }
  }

  private async sendAndFinish(
    lane: RoomLane,
    run: IncomingRun,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, timers, random, trace, wake } = this.context;
    // The lock is counted from before the call, so that our own idea of its end is never later.
    const lockStartMonoMs = clock.monoMs();
    const started = await this.startRun(run, signal);
    if (started.length === 0) return;
    trace.at('adapter.after_start');
    const pauseMs = this.sending.outage.pauseMs(random.fraction('outage pause'));
    if (pauseMs > 0) await timers.sleep(pauseMs, signal);
    const { lockMs, sendTimeoutMs } = this.options;
    const lockEndMonoMs = lockStartMonoMs + lockMs;
    const finish = await sendRun(this.sending, started, lockEndMonoMs - sendTimeoutMs);
    trace.at('adapter.after_send_before_finish');
    const isWritten = await this.finishRun(lane, run, finish, signal);
    wake.hint();
    if (isWritten) await this.tellDelivered(started, finish);
  }

  /** Behind the finish: what is told here is delivered, and no row waits for whoever is told. */
  private async tellDelivered(started: readonly StartedEvent[], finish: RunFinish): Promise<void> {
    const { onDelivered } = this.context;
    if (onDelivered === undefined) return;
    const rowIds = new Set(finish.kind === 'delivered' ? finish.rowIds : finish.deliveredRowIds);
    for (const { row, event } of started) {
      if (rowIds.has(row.rowId)) await onDelivered(event.envelope);
    }
  }

  /**
   * Rows that are still the claim's; late claims get none and are skipped without a word to the
   * destination. Waits for MySQL as long as it takes, since without it nothing may be sent.
   */
  private async startRun(run: IncomingRun, signal: AbortSignal): Promise<readonly StartedEvent[]> {
    const { store, clock, metrics } = this.context;
    const rowIds = run.events.map((event) => event.rowId);
    const rows = await this.whileOutOfReach('start', signal, () =>
      store.start(run.claimToken, rowIds, clock.wallMs() + this.options.lockMs),
    );
    if (rows === null) throw draining();
    const late = run.events.length - rows.length;
    if (late > 0) metrics.count('adapter_late_rows_total', this.labels, late);
    const byId = new Map(run.events.map((event) => [event.rowId, event]));
    return rows.flatMap((row) => {
      const event = byId.get(row.rowId);
      return event === undefined ? [] : [{ row, event }];
    });
  }

  /**
   * Writes the end of the run. While MySQL is away it is tried again until a stop; a finish that is
   * lost all the same is harmless: the claim runs out, and the repeat is known as confirmed here or
   * deduplicated there. Answers whether it was written.
   */
  private async finishRun(
    lane: RoomLane,
    run: IncomingRun,
    finish: RunFinish,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, clock, log, metrics } = this.context;
    const result = await this.whileOutOfReach('finish', signal, () =>
      store.finish(run.claimToken, finish, clock.wallMs()),
    );
    if (result === null) {
      metrics.count('adapter_lost_finishes_total', this.labels);
      return false;
    }
    metrics.count('adapter_rows_total', { ...this.labels, ended: 'delivered' }, result.delivered);
    if (finish.kind === 'delivered' || result.failedRowState === null) return true;
    metrics.count('adapter_rows_total', { ...this.labels, ended: result.failedRowState });
    const facts = { roomKey: lane.roomKey, rowId: finish.failedRowId, error: finish.error };
    // One line per row that ends here (RETRY-10); those that are tried again show in the counters.
    if (result.failedRowState === 'failed') {
      log.error({ ...this.labels, ...facts }, 'an event was given up and waits for an operator');
    } else log.debug({ ...this.labels, ...facts }, 'an event will be tried again');
    return true;
  }

  /** The result, or null when the adapter was stopped before MySQL answered. */
  private async whileOutOfReach<T>(
    what: string,
    signal: AbortSignal,
    call: () => Promise<T>,
  ): Promise<T | null> {
    const { timers, random, log, metrics } = this.context;
    for (let tries = 1; ; tries += 1) {
      try {
        const result = await call();
        if (this.isStoreAway) log.info(this.labels, 'the outbox store answers again');
        this.isStoreAway = false;
        return result;
      } catch (thrown) {
        if (!(thrown instanceof Failure) || thrown.kind !== 'retry') throw thrown;
        metrics.count('adapter_store_retries_total', { ...this.labels, what });
        // Many runs meet the same outage; one line is enough.
        const facts = { ...this.labels, what, error: thrown.message };
        if (!this.isStoreAway) log.warn(facts, 'waiting for the outbox store');
        this.isStoreAway = true;
        if (signal.aborted) return null;
        await timers.sleep(backoffMs(storeBackoff, tries, random.fraction(what)), signal);
      }
    }
  }

  private get labels(): { readonly destination: string } {
    return { destination: this.sending.sender.destination };
  }
}

function draining(): Failure {
  return new Failure('retry', 'DRAINING', 'the adapter stops; the batch comes again');
}

/** Makes an adapter for one destination; see `Adapter`. */
export function createAdapter(
  context: AdapterContext,
  sender: EventSender,
  options: AdapterOptions,
): Adapter {
  return new Adapter(context, sender, options);
}
