/**
 * The relay: carries committed outbox rows to their destinations' topics. A loop of rounds; each
 * claims runs, publishes them and leaves their end to the adapters, which alone know whether an
 * event arrived. Behind a full batch the next one is claimed while this one is published: a claim and
 * a publish wait for different servers, and what they hold is never of one room and destination. Behind a
 * small one too, for what is committed meanwhile should not wait; in between, waiting makes the next batch
 * larger, which is cheaper. Nothing else is kept between rounds but when to look next.
 */
import { backoffMs } from '../kernel/backoff.ts';
import { Failure } from '../kernel/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSink, PublishOutcome } from '../ports/event-sink.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ClaimedRun, OutboxStore } from '../ports/outbox-store.ts';
import type { Random } from '../ports/random.ts';
import type { Timers } from '../ports/timers.ts';
import type { Trace } from '../ports/trace.ts';
import type { Wake } from '../ports/wake.ts';
import { checkRelayOptions } from './relay-options.ts';
import type { RelayOptions } from './relay-options.ts';
import { RoundPause } from './round-pause.ts';

/** What the relay stands on. */
export interface RelayContext {
  readonly store: OutboxStore;
  readonly sink: EventSink;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
}

/** How a round went, from which the next pause follows. */
type RoundEnd = 'full' | 'some' | 'nothing' | 'trouble';

/** Pauses while MySQL or Kafka is out of reach. Hints do not shorten them. */
const troubleBackoff = { initialMs: 200, maxMs: 5_000 };
const claimTokenBytes = 16;

/** See the file header. `start` once; `drain` and `stop` are idempotent. */
export class Relay {
  private readonly context: RelayContext;
  private readonly options: RelayOptions;
  private readonly pause: RoundPause;
  private loop: Promise<void> | null = null;
  private endHints: () => void = () => undefined;
  /** Rounds in a row that met an outage. */
  private troubles = 0;
  /** Whether a batch that is still being published is stored; never rejects. One at a time. */
  private carrying: Promise<boolean> = Promise.resolve(true);

  constructor(context: RelayContext, options: RelayOptions) {
    this.context = context;
    this.options = options;
    this.pause = new RoundPause(context.timers);
  }

  /** Rejects with a Reject failure for bad options, with the sink's own failure otherwise. */
  async start(): Promise<void> {
    checkRelayOptions(this.options);
    await this.context.sink.start();
    this.endHints = this.context.wake.subscribe(() => this.pause.hint());
    this.loop = this.run();
  }

  /** Claims nothing more; resolves when the rounds in hand are over (bounded by their timeouts). */
  async drain(): Promise<void> {
    this.endHints();
    this.pause.end();
    await this.loop;
  }

  /** Drains, then lets the sink go. Claims that are still open run out by themselves. */
  async stop(): Promise<void> {
    await this.drain();
    await this.context.sink.stop();
  }

  /** True while rounds succeed; false names an outage for the readiness probe. */
  get healthy(): boolean {
    return this.troubles === 0;
  }

  private async run(): Promise<void> {
    let quietRounds = 0;
    while (!this.pause.isOver) {
      const end = await this.guardedRound();
      if (end === 'trouble') {
        this.troubles += 1;
        const fraction = this.context.random.fraction('relay trouble pause');
        await this.pause.wait(backoffMs(troubleBackoff, this.troubles, fraction), 'deaf');
        continue;
      }
      if (this.troubles > 0) this.context.log.info({}, 'the relay works again');
      this.troubles = 0;
      if (end === 'full') continue;
      quietRounds = end === 'some' ? 0 : quietRounds + 1;
      await this.pause.wait(this.idlePauseMs(quietRounds), 'hintable');
    }
    await this.carrying;
  }

  /**
   * After work the next looks come quickly, since an adapter that ends a run frees the next rows of
   * its room; then ever later, up to the poll interval. Jittered, so that relays do not march in step.
   */
  private idlePauseMs(quietRounds: number): number {
    const grownMs = quickPollMs * 2 ** Math.min(quietRounds, 20);
    const cappedMs = Math.min(grownMs, this.options.pollIntervalMs);
    return cappedMs * (0.9 + this.context.random.fraction('relay idle pause') / 10);
  }

  private async guardedRound(): Promise<RoundEnd> {
    try {
      return await this.round();
    } catch (thrown) {
      this.trouble('round', thrown);
      return 'trouble';
    }
  }

  private async round(): Promise<RoundEnd> {
    const runs = await this.claim();
    // At most one batch is claimed and waits for its publish: its locks run meanwhile.
    const isFormerStored = await this.carrying;
    this.carrying = Promise.resolve(true);
    if (runs.length === 0) return isFormerStored ? 'nothing' : 'trouble';
    const carrying = this.carry(runs);
    const claimed = runs.reduce((sum, run) => sum + run.rows.length, 0);
    const isFull = claimed >= this.options.batchSize;
    const isSmall = claimed < this.options.batchSize / smallBatchShare;
    if (!isFormerStored || !(isFull || isSmall)) {
      return (await carrying) && isFormerStored ? 'some' : 'trouble';
    }
    this.carrying = carrying;
    // The next round hears of an outage, and begins for it.
    void carrying.then((isStored) => isStored || this.pause.hint());
    return isFull ? 'full' : 'some';
  }

  private async claim(): Promise<readonly ClaimedRun[]> {
    const { store, clock, metrics, trace, random } = this.context;
    const { options } = this;
    const startedMs = clock.monoMs();
    const runs = await store.claimRuns({
      shards: options.shards,
      destinations: options.destinations,
      workerId: options.workerId,
      newClaimToken: () => random.hex(claimTokenBytes, 'claim token'),
      nowMs: clock.wallMs(),
      lockMs: options.claimLockMs,
      batchSize: options.batchSize,
      runSize: options.runSize,
      unconfirmedMax: options.unconfirmedMax,
      startedMax: options.startedMax,
    });
    metrics.observeMs('relay_claim_ms', clock.monoMs() - startedMs);
    if (runs.length > 0) trace.at('relay.after_claim');
    return runs;
  }

  /** Publishes and settles; answers whether everything is stored. */
  private async carry(runs: readonly ClaimedRun[]): Promise<boolean> {
    try {
      const outcomes = await this.publish(runs);
      this.context.trace.at('relay.after_publish');
      return await this.settle(runs, outcomes);
    } catch (thrown) {
      this.trouble('round', thrown);
      return false;
    }
  }

  private async publish(runs: readonly ClaimedRun[]): Promise<readonly PublishOutcome[]> {
    if (this.pause.isOver) return runs.map(() => ({ kind: 'notSent', cause: 'draining' }));
    const startedMs = this.context.clock.monoMs();
    const outcomes = await this.context.sink.publish(runs, this.options.publishTimeoutMs);
    this.context.metrics.observeMs('relay_publish_ms', this.context.clock.monoMs() - startedMs);
    return outcomes;
  }

  /**
   * `stored`: the adapter has it. `notSent`: the rows go back, untouched. `unknown`: the record may
   * be in the topic, so the claim stays as it is: if the record is there, its adapter starts and
   * ends the rows under this very claim, without a second copy; if not, the lock runs out and the
   * rows are claimed again (OUT-21). Giving them back would void the claim of a record that may
   * have arrived, and send each of them twice for nothing. No try is counted: what failed is not the
   * row. Answers false when anything was not stored.
   */
  private async settle(
    runs: readonly ClaimedRun[],
    outcomes: readonly PublishOutcome[],
  ): Promise<boolean> {
    let firstCause: string | null = null;
    for (const [at, run] of runs.entries()) {
      const outcome = outcomes[at] ?? { kind: 'unknown', cause: 'the sink gave no outcome' };
      const { destination } = run;
      const labels = { destination, outcome: outcome.kind };
      this.context.metrics.count('relay_rows_total', labels, run.rows.length);
      if (outcome.kind === 'stored') continue;
      firstCause ??= outcome.cause;
      if (outcome.kind === 'notSent') await this.giveBack(run);
    }
    // Once per round, however many of its runs met the same outage.
    if (firstCause !== null) this.trouble('publish', new Error(firstCause));
    return firstCause === null;
  }

  private async giveBack(run: ClaimedRun): Promise<void> {
    try {
      await this.context.store.giveBack(
        run.claimToken,
        run.rows.map((row) => row.rowId),
      );
    } catch (thrown) {
      // The claim runs out by itself: late, but nothing is lost.
      this.trouble('give back', thrown);
    }
  }

  /** One line when an outage begins; every failure is counted. */
  private trouble(what: string, thrown: unknown): void {
    this.context.metrics.count('relay_troubles_total', { what });
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const expected = what !== 'round' || (thrown instanceof Failure && thrown.kind === 'retry');
    if (!expected) this.context.log.error({ what, error }, 'the relay met a fault of its own');
    else if (this.troubles === 0) this.context.log.warn({ what, error }, 'the relay waits');
  }
}

/** A batch below this part of a full one is small. */
const smallBatchShare = 10;

/** The shortest pause between two rounds that did not fill a batch. */
const quickPollMs = 20;

/** Makes a relay; see `Relay`. */
export function createRelay(context: RelayContext, options: RelayOptions): Relay {
  return new Relay(context, options);
}
