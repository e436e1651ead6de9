/**
 * What a cell does by the clock: writes advanced offsets that no commit carried, gives Kafka its
 * hint, wakes due rooms and those whose rocket somebody outside names, sweeps stale users, looks where robots
 * are wanted, asks whether its partitions are still its own and what
 * operators said about those that stand still, whether records are still delivered, announces the node's address. None of it is needed for correctness.
 */
import type { CancelTimer } from '../ports/timers.ts';
import type { CellContext } from './cell-context.ts';
import type { Deadlines } from './deadlines.ts';
import type { Lane } from './lane/lane.ts';
import type { ConsumerWatch } from './partition/consumer-watch.ts';
import type { OwnershipCheck } from './partition/ownership-check.ts';
import type { PartitionSet } from './partition/partition-set.ts';
import type { Robots } from './robots/robots.ts';
import type { RocketWakes } from './rocket-wakes.ts';
import { sweepEveryMs } from './presence/live-window.ts';
import type { Sweeper } from './presence/sweeper.ts';

/** Kafka's committed offset follows at most this often. */
const hintEveryMs = 1000;
/** The node's address lives this many announcements long. */
const announcementsPerTtl = 3;

/** How late a wake-up from outside may be seen. */
const rocketWakesEveryMs = 500;

/** See the file header. */
export class Ticker {
  private readonly context: CellContext;
  private readonly parts: {
    readonly partitions: PartitionSet;
    readonly lane: Lane;
    readonly deadlines: Deadlines;
    readonly sweeper: Sweeper;
    readonly ownership: OwnershipCheck;
    readonly consumer: ConsumerWatch;
    readonly rockets: RocketWakes;
    readonly robots: Robots;
  };
  private readonly timers = new Set<CancelTimer>();
  private stopped = false;

  constructor(context: CellContext, parts: Ticker['parts']) {
    this.context = context;
    this.parts = parts;
  }

  start(): void {
    const { options } = this.context;
    this.every(options.offsetFlushMs / 5, () => this.flushOffsets());
    this.every(hintEveryMs, () => this.commitHints());
    this.every(options.deadlinePollMs, () => this.wakeDueRooms());
    if (this.context.robots !== undefined) {
      this.every(options.robotScanMs, () => this.parts.robots.look());
    }
    this.every(rocketWakesEveryMs, () => this.parts.rockets.look());
    this.every(sweepEveryMs(options), () => this.parts.sweeper.tick());
    this.every(options.offsetFlushMs, () => this.confirmOwned());
    this.every(options.offsetFlushMs, () => this.parts.partitions.lookAtStops());
    this.every(options.offsetFlushMs, () => this.parts.consumer.look());
    void this.announce();
    this.every(options.leaseTtlMs / announcementsPerTtl, () => this.announce());
  }

  stop(): void {
    this.stopped = true;
    for (const cancel of this.timers) cancel();
    this.timers.clear();
  }

  /** Tells Kafka how far the persisted offsets are: for lag tools and people only. */
  async commitHints(): Promise<void> {
    const moved = [...this.parts.partitions.all()].filter(
      (partition) => partition.persistedOffset > partition.hintedOffset,
    );
    if (moved.length === 0) return;
    const offsets = moved.map((partition) => {
      // Noted before the await: what is persisted meanwhile needs a hint of its own.
      partition.hintedOffset = partition.persistedOffset;
      return { partition: partition.id, offsetNext: partition.persistedOffset + 1n };
    });
    this.context.trace.at('cell.after_reply_before_kafka_commit');
    await this.context.source.commitHint(offsets);
  }

  private async announce(): Promise<void> {
    const { leases, options } = this.context;
    await leases.announceNode(options.nodeId, options.advertiseAddr, options.leaseTtlMs);
  }

  private flushOffsets(): Promise<void> {
    const nowMonoMs = this.context.clock.monoMs();
    for (const partition of this.parts.partitions.all()) {
      const overdue = nowMonoMs - partition.persistedAtMonoMs >= this.context.options.offsetFlushMs;
      if (partition.needsFlush && overdue) this.parts.lane.partitionHasWork(partition);
    }
    return Promise.resolve();
  }

  /** One query for all of them; what was lost unheard is noticed and, if still wanted, taken back. */
  private async confirmOwned(): Promise<void> {
    const { partitions, ownership } = this.parts;
    await Promise.all([...partitions.all()].map((partition) => ownership.confirm(partition)));
  }

  private async wakeDueRooms(): Promise<void> {
    for (const partition of [...this.parts.partitions.all()]) {
      await this.parts.deadlines.wakeDue(partition);
    }
  }

  /** Runs `tick` again and again, each time `everyMs` after the last one ended. */
  private every(everyMs: number, tick: () => Promise<void>): void {
    if (this.stopped) return;
    const cancel = this.context.timers.after(everyMs, () => {
      this.timers.delete(cancel);
      void tick().finally(() => this.every(everyMs, tick));
    });
    this.timers.add(cancel);
  }
}
