/**
 * Retention: passes over the tables that take away what is old and done, page by page with a pause
 * behind each, so that the server's other work does not notice. Nothing is kept between passes, and
 * several relays may make them at once: what one has removed the other does not find.
 */
import type { RoomKey } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import type { RecordPlace } from '../../ports/replay-store.ts';
import type { EventPlace, RetentionPage, RetentionStore } from '../../ports/retention-store.ts';
import type { Timers } from '../../ports/timers.ts';
import { RoundPause } from '../round-pause.ts';
import { retireSteps, type RetireContext, type Retired } from './retire-room.ts';

/** What retention stands on. */
export interface RetentionContext extends Omit<RetireContext, 'store'> {
  readonly store: RetentionStore;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How long rows are kept, and at which pace they leave. Times in ms. */
export interface RetentionOptions {
  readonly keepMs: number;
  /** 0: acts of operators stay for ever. */
  readonly auditKeepMs: number;
  readonly passIntervalMs: number;
  readonly pagePauseMs: number;
  readonly pageRows: number;
}

/** What leaves, as the metric names it. */
type Kind = 'delivered' | 'settlements' | 'audit' | 'unapplied' | 'steps' | 'events';

/** Thrown inside to leave a pass that is to end. */
class PassEnded extends Error {}

/** Pages that only looked, and found nothing, between two pauses. */
const idlePagesMax = 20;

/** See the file header. `start` once; `drain` and `stop` are idempotent. */
export class Retention {
  private readonly context: RetentionContext;
  private readonly options: RetentionOptions;
  private readonly pause: RoundPause;
  private loop: Promise<void> | null = null;
  /** The pass before met an outage, which was told then. */
  private isOut = false;
  /** Pages without a removal since the last pause. */
  private idlePages = 0;

  constructor(context: RetentionContext, options: RetentionOptions) {
    this.context = context;
    this.options = options;
    this.pause = new RoundPause(context.timers);
  }

  start(): void {
    this.loop = this.run();
  }

  /** Begins no further page; resolves when the one in hand is done. */
  async drain(): Promise<void> {
    this.pause.end();
    await this.loop;
  }

  stop(): Promise<void> {
    return this.drain();
  }

  /** Jittered from the first pass on, so that relays that start together do not walk together. */
  private async run(): Promise<void> {
    while (!this.pause.isOver) {
      const share = this.context.random.fraction('retention pause');
      await this.pause.wait(this.options.passIntervalMs * (0.5 + share / 2), 'deaf');
      if (!this.pause.isOver) await this.guardedPass();
    }
  }

  private async guardedPass(): Promise<void> {
    const { log, metrics } = this.context;
    try {
      await this.pass();
      if (this.isOut) log.info({}, 'retention works again');
      this.isOut = false;
      metrics.count('relay_retention_passes_total', { ended: 'whole' });
    } catch (thrown) {
      if (thrown instanceof PassEnded) return;
      metrics.count('relay_retention_passes_total', { ended: 'broken_off' });
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      const isOutage = thrown instanceof Failure && thrown.kind === 'retry';
      if (!isOutage) log.error({ error }, 'a pass of retention met a fault of its own');
      else if (!this.isOut) log.warn({ error }, 'retention waits for MySQL');
      this.isOut = isOutage;
    }
  }

  /** Rows of the outbox first: events stay for them. */
  private async pass(): Promise<void> {
    const { store, clock } = this.context;
    const { keepMs, auditKeepMs, pageRows } = this.options;
    const beforeMs = clock.wallMs() - keepMs;
    await this.walk<bigint>('delivered', 0n, (after) =>
      store.removeDelivered(beforeMs, after, pageRows),
    );
    await this.walk<string>('settlements', '', (after) =>
      store.removeSettlements(beforeMs, after, pageRows),
    );
    if (auditKeepMs > 0) await this.removeAudit(clock.wallMs() - auditKeepMs);
    await this.walk<RecordPlace | null>('unapplied', null, (after) =>
      store.removeUnapplied(beforeMs, after, pageRows),
    );
    await this.eachRoom(
      (after) => store.nextLoggedRoom(after),
      (roomKey) => this.retireLog(roomKey, beforeMs),
    );
    await this.eachRoom(
      (after) => store.nextRoomWithEvents(after),
      (roomKey) =>
        this.walk<EventPlace | null>('events', null, (after) =>
          store.removeEvents(roomKey, after, pageRows),
        ),
    );
  }

  private async removeAudit(beforeMs: number): Promise<void> {
    for (;;) {
      const removed = await this.context.store.removeAudit(beforeMs, this.options.pageRows);
      await this.after('audit', removed);
      if (removed < this.options.pageRows) return;
    }
  }

  /** A fault of one room is told and keeps nothing of the others. */
  private async retireLog(roomKey: RoomKey, beforeMs: number): Promise<void> {
    const { log, metrics } = this.context;
    const { pageRows } = this.options;
    for (;;) {
      const look = (): Promise<Retired> => retireSteps(this.context, roomKey, beforeMs, pageRows);
      let retired = await look();
      // Another relay, or the owner's next snapshot, may have come between the reads of the first look.
      if (retired.kind === 'unproven') retired = await look();
      if (retired.kind === 'unproven') {
        metrics.count('relay_retention_unproven_rooms_total');
        log.warn({ roomKey, fault: retired.fault }, 'the log of a room stays: no proof without it');
      }
      await this.after('steps', retired.kind === 'removed' ? retired.steps : 0);
      if (retired.kind !== 'removed' || !retired.isMore) return;
    }
  }

  private async eachRoom(
    next: (after: RoomKey | null) => Promise<RoomKey | null>,
    visit: (roomKey: RoomKey) => Promise<void>,
  ): Promise<void> {
    for (let room = await next(null); room !== null; room = await next(room)) await visit(room);
  }

  private async walk<Place>(
    kind: Kind,
    from: Place,
    page: (after: Place) => Promise<RetentionPage<NonNullable<Place>>>,
  ): Promise<void> {
    for (let after: Place | null = from, isFirst = true; isFirst || after !== null;) {
      isFirst = false;
      const { removed, next }: RetentionPage<NonNullable<Place>> = await page(after as Place);
      await this.after(kind, removed);
      after = next;
    }
  }

  /** Behind each page; throws PassEnded when no further one is to begin. */
  private async after(kind: Kind, removed: number): Promise<void> {
    if (removed > 0) this.context.metrics.count('relay_retired_rows_total', { kind }, removed);
    if (this.pause.isOver) throw new PassEnded();
    this.idlePages = removed > 0 ? idlePagesMax : this.idlePages + 1;
    if (this.idlePages < idlePagesMax) return;
    this.idlePages = 0;
    await this.pause.wait(this.options.pagePauseMs, 'deaf');
    if (this.pause.isOver) throw new PassEnded();
  }
}
