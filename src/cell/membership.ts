/**
 * One membership of the node in the cells' group: from the join until everything is given up. A node
 * that must leave for a while makes a new one when it comes back, with nothing left of the old.
 */
import type { SourceRecord } from '../ports/command-source.ts';
import type { CellContext } from './cell-context.ts';
import { CellParts, type PartsListener } from './cell-parts.ts';
import type { RoomCell } from './registry/room-cell.ts';

/** How often a drain looks whether everything is finished. */
const drainPollMs = 10;

/** See the file header. */
export class Membership {
  readonly parts: CellParts;
  private readonly context: CellContext;
  private givenUp: Promise<void> | null = null;

  constructor(context: CellContext, partitionCount: number, told: PartsListener) {
    this.context = context;
    this.parts = new CellParts(context, partitionCount, told);
  }

  /** Resolves when the node is a member, or was told to leave meanwhile. */
  async join(onFatal: (cause: unknown) => void): Promise<void> {
    const { parts, context } = this;
    parts.lane.start().catch(onFatal);
    await context.source.start({
      onAssigned: (ids) => this.assigned(ids),
      onRecords: (id, records) => this.records(id, records),
      onRebalancing: () => context.log.info({}, 'the group is rebalancing'),
      onOutOfRange: (id, expected, range) => parts.partitions.outOfRange(id, expected, range),
      onCrashed: (cause) => onFatal(cause),
    });
    if (this.givenUp !== null) return;
    parts.ticker.start();
    parts.settler.start();
  }

  /**
   * LEASE-21 … 23: no new work, what is in hand ends and is answered, then everything is given up.
   * After `deadlineMs` the rest is left to the next owner, which finds it in the topic. Idempotent.
   */
  giveUp(deadlineMs: number): Promise<void> {
    this.givenUp ??= this.handOver(deadlineMs);
    return this.givenUp;
  }

  /** Ends everything, given up or not. Idempotent. */
  async stop(): Promise<void> {
    const { parts } = this;
    this.givenUp ??= Promise.resolve();
    parts.ticker.stop();
    parts.robots.stop();
    parts.deadlines.stop();
    parts.sweeper.stop();
    parts.watches.stop();
    parts.snapshots.stop();
    parts.settler.stop();
    await this.context.source.stop();
    const laneEnded = parts.lane.stop();
    // Without this, what waits for an outage would wait on, and the lane with it.
    parts.partitions.abandon();
    await laneEnded;
  }

  private async handOver(deadlineMs: number): Promise<void> {
    const { parts, context } = this;
    const untilMonoMs = context.clock.monoMs() + deadlineMs;
    for (const { id } of parts.partitions.all()) context.source.pause(id);
    parts.reads.drain();
    parts.watches.drain();
    parts.robots.stop();
    parts.partitions.close();
    parts.deadlines.stop();
    parts.sweeper.stop();
    parts.search.stop();
    await this.waitUntil(untilMonoMs, () => parts.nothingInHand);
    parts.settler.stop();
    for (const partition of parts.partitions.all()) {
      if (partition.needsFlush) parts.lane.partitionHasWork(partition);
    }
    await this.waitUntil(untilMonoMs, () => parts.isQuiet);
    parts.displays.flush();
    await context.replies.flush();
    await parts.ticker.commitHints();
    const rooms = [...parts.registry.all()].filter(({ leaseToken }) => leaseToken !== '');
    await parts.partitions.releaseAll();
    await this.releaseLeases(rooms);
    await context.source.stop();
  }

  private assigned(ids: readonly number[]): void {
    this.context.log.info({ partitions: ids }, 'assignment of the group');
    if (this.givenUp === null) this.parts.assigned(ids);
  }

  private records(id: number, records: readonly SourceRecord[]): void {
    // What was not accepted stays in the topic for the next owner.
    if (this.givenUp === null) this.parts.records(id, records);
  }

  private async releaseLeases(rooms: readonly RoomCell[]): Promise<void> {
    const claims = rooms.map(({ key, partition, leaseToken }) => ({
      roomKey: key,
      epoch: partition.epoch,
      token: leaseToken,
    }));
    if (claims.length > 0) {
      await this.context.leases.release(claims, this.context.options.leaseBudgetMs * 10);
    }
  }

  private async waitUntil(untilMonoMs: number, done: () => boolean): Promise<void> {
    while (!done() && this.context.clock.monoMs() < untilMonoMs) {
      await this.context.timers.sleep(drainPollMs);
    }
  }
}
