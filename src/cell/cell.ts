/**
 * The cell's lifecycle. Stages of a life: start (layout, schemas, join the group), serve, drain (no
 * new work, finish and answer what is in hand, release), stop.
 */
import type { RoomState } from '../domain/room/state.ts';
import { Failure } from '../kernel/failure.ts';
import type { SourceRecord } from '../ports/command-source.ts';
import type { OwnerReads } from '../ports/owner-reads.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../ports/room-watch.ts';
import type { CellContext } from './cell-context.ts';
import { CellParts } from './cell-parts.ts';
import { LevelWatch } from './level-watch.ts';
import { RtcAtOnce } from './rtc-at-once.ts';
import type { RoomCell } from './registry/room-cell.ts';
import { retryForever } from './retry-forever.ts';

/** The one wait that is not for MySQL; readiness says TAKING_OVER while it lasts. */
const kafkaWait = 'read log range';
/** How often a drain looks whether everything is finished. */
const drainPollMs = 10;
/** What is in hand when the release turns out to be too old has this long to end. */
const leaveWithinMs = 10_000;

/** Parameters that are asked for once at start. */
export interface CellStart {
  readonly configuredPartitionCount: number;
  /** Called when the cell can no longer work: the process must end with a non-zero code. */
  onFatal(cause: unknown): void;
}

/** One cell node. See the file header and README.md. */
export class Cell {
  private readonly context: CellContext;
  private readonly levels: LevelWatch;
  private parts: CellParts | null = null;
  private draining = false;
  private stopped = false;
  private down = false;
  /** Waits for MySQL under way, by what they wait for. */
  private readonly outages = new Map<string, number>();

  /** What this node answers to readers and watchers; UNAVAILABLE before it knows the layout. */
  readonly reads: OwnerReads & OwnerWatches = {
    read: async (read, call) => this.started().reads.read(read, call),
    watch: (watch, signal) => this.watch(watch, signal),
  };

  constructor(context: CellContext) {
    this.levels = new LevelWatch(context, () => void this.leave());
    this.context = {
      ...context,
      onOutage: (what, isOut) => this.noteOutage(what, isOut),
      enabledLevel: () => this.levels.enabled,
      rtcAtOnce: new RtcAtOnce(context),
    };
  }

  /**
   * Resolves when the node is a member of the group, or must not become one because its release is
   * too old for the deployment; waits for what is absent.
   */
  async start(start: CellStart): Promise<void> {
    const { context } = this;
    const layout = await this.untilStopped('topic layout', () =>
      context.partitions.ensureLayout({
        topic: context.options.commandsTopic,
        partitionCount: start.configuredPartitionCount,
        hash: 'murmur2',
      }),
    );
    await this.untilStopped('register schemas', () =>
      context.schemas.register(context.codec.writerSchemas),
    );
    await this.untilStopped('schema level', () => this.levels.start());
    // Too old a release never becomes a member: its state has a name, and waits for the operator.
    if (layout === null || this.stopped || this.levels.isTooOld) return;
    const parts = new CellParts(context, layout.partitionCount, (down) => {
      this.down = down;
    });
    this.parts = parts;
    parts.lane.start().catch((error: unknown) => start.onFatal(error));
    await context.source.start({
      onAssigned: (ids) => this.assigned(ids),
      onRecords: (id, records) => this.records(id, records),
      onRebalancing: () => context.log.info({}, 'the group is rebalancing'),
      onOutOfRange: (id, expected, range) => parts.partitions.outOfRange(id, expected, range),
      onCrashed: (cause) => start.onFatal(cause),
    });
    parts.ticker.start();
    parts.settler.start();
  }

  /** Ready while the node can take part; reasons are names for people and probes. */
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] } {
    const reasons: string[] = [];
    if (this.parts === null) reasons.push('STARTING');
    if (this.levels.isTooOld) reasons.push('RELEASE_TOO_OLD');
    if (this.draining) reasons.push('DRAINING');
    if (this.down || this.outages.size > 0) reasons.push('DB_DOWN');
    if (this.parts !== null && !this.parts.partitions.settled) reasons.push('TAKING_OVER');
    return { ready: reasons.length === 0, reasons };
  }

  /** Partitions that stand still under a named reason; the node is ready all the same. */
  stops(): ReadonlyMap<number, string> {
    return this.parts?.partitions.stops ?? new Map<number, string>();
  }

  /** Partitions owned now, for operators and tests. */
  ownedPartitions(): readonly { readonly id: number; readonly epoch: bigint }[] {
    return [...(this.parts?.partitions.all() ?? [])].map(({ id, epoch }) => ({ id, epoch }));
  }

  /** Committed states of the rooms in memory that exist, to be compared with the stored ones. */
  committedRooms(): readonly RoomState[] {
    return [...(this.parts?.registry.all() ?? [])]
      .filter(({ usable, phase }) => usable && phase === 'ready')
      .map(({ state }) => state)
      .filter(({ version }) => version > 0n);
  }

  /**
   * LEASE-21 … 23: no new work, what is in hand ends and is answered, then everything is given up.
   * After `deadlineMs` the rest is left to the next owner, which finds it in the topic.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.draining = true;
    const { parts } = this;
    if (parts === null) return;
    const untilMonoMs = this.context.clock.monoMs() + deadlineMs;
    for (const { id } of parts.partitions.all()) this.context.source.pause(id);
    parts.reads.drain();
    parts.watches.drain();
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
    await this.context.replies.flush();
    await parts.ticker.commitHints();
    const rooms = [...parts.registry.all()].filter(({ leaseToken }) => leaseToken !== '');
    await parts.partitions.releaseAll();
    await this.releaseLeases(rooms);
    await this.context.source.stop();
  }

  /** Ends everything, drained or not. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.levels.stop();
    const { parts } = this;
    if (parts === null) return;
    parts.ticker.stop();
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

  /**
   * Race (test "gives everything up when it becomes so while it runs"): the level is raised
   * while a node of the former release still runs.
   *   1. The operator raises the level, and a cell of the new release commits an event above ours.
   *   2. Its partition moves here before we look at the level, and we take it over.
   *   3. We cannot read that log and answer ROOM_CORRUPT for the room: no event of it is ours.
   *   4. The next look gives everything up, and a node that can read it goes on.
   */
  private async leave(): Promise<void> {
    try {
      await this.drain(leaveWithinMs);
    } catch (error) {
      this.context.log.error({ error }, 'a node that is too old could not give everything up');
    }
  }

  private async *watch(watch: OwnerWatch, signal: AbortSignal): AsyncGenerator<WatchMessage> {
    yield* this.started().watches.watch(watch, signal);
  }

  private started(): CellParts {
    if (this.parts !== null) return this.parts;
    throw new Failure('retry', 'UNAVAILABLE', 'the cell is starting');
  }

  private assigned(ids: readonly number[]): void {
    this.context.log.info({ partitions: ids }, 'assignment of the group');
    if (!this.draining) this.parts?.assigned(ids);
  }

  private records(id: number, records: readonly SourceRecord[]): void {
    // Draining: what was not accepted stays in the topic for the next owner.
    if (!this.draining) this.parts?.records(id, records);
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

  private noteOutage(what: string, isOut: boolean): void {
    if (what === kafkaWait) return;
    const count = (this.outages.get(what) ?? 0) + (isOut ? 1 : -1);
    if (count > 0) this.outages.set(what, count);
    else this.outages.delete(what);
  }

  private untilStopped<T>(what: string, run: () => Promise<T>): Promise<T | null> {
    return retryForever(this.context, what, () => !this.stopped, run);
  }
}
