/**
 * The cell's lifecycle. Stages of a life: start (layout, schemas, name, join the group), serve, drain (no
 * new work, finish and answer what is in hand, release), stop. In between the node may leave the group
 * for as long as it may own nothing.
 */
import type { RoomState } from '../domain/room/state.ts';
import { Failure } from '../kernel/failure.ts';
import type { CommandSource } from '../ports/command-source.ts';
import type { OwnerReads } from '../ports/owner-reads.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../ports/room-watch.ts';
import type { CellContext } from './cell-context.ts';
import type { CellParts } from './cell-parts.ts';
import { LevelWatch } from './level-watch.ts';
import { Membership } from './membership.ts';
import { NodeWatch } from './node-watch.ts';
import type { PartitionHealth } from './partition/partition-health.ts';
import { retryForever } from './retry-forever.ts';
import { RtcAtOnce } from './rtc-at-once.ts';

/** The one wait that is not for MySQL; readiness says TAKING_OVER while it lasts. */
const kafkaWait = 'read log range';
/** What is in hand when the node must leave, or an operator drains it, has this long to end. */
const leaveWithinMs = 10_000;

/** Parameters that are asked for once at start. */
export interface CellStart {
  readonly configuredPartitionCount: number;
  /** Called when the cell can no longer work: the process must end with a non-zero code. */
  readonly onFatal: (cause: unknown) => void;
}

/** What a cell is made of; each time that it joins the group it asks for a source of its own. */
export interface CellSurroundings extends Omit<CellContext, 'source'> {
  openSource(): CommandSource;
}

/** One cell node. See the file header and README.md. */
export class Cell {
  private readonly around: CellSurroundings;
  private readonly levels: LevelWatch;
  private readonly node: NodeWatch;
  private membership: Membership | null = null;
  private partitionCount = 0;
  private onFatal: (cause: unknown) => void = () => undefined;
  private leaving: Promise<void> | null = null;
  private started = false;
  private draining = false;
  private stopped = false;
  private down = false;
  /** Waits for MySQL under way, by what they wait for. */
  private readonly outages = new Map<string, number>();

  /** What this node answers to readers and watchers; UNAVAILABLE before it knows the layout. */
  readonly reads: OwnerReads & OwnerWatches = {
    read: async (read, call) => this.parts().reads.read(read, call),
    watch: (watch, signal) => this.watch(watch, signal),
  };

  constructor(surroundings: CellSurroundings) {
    this.levels = new LevelWatch(surroundings, () => this.judge());
    this.around = {
      ...surroundings,
      onOutage: (what, isOut) => this.noteOutage(what, isOut),
      enabledLevel: () => this.levels.enabled,
      lookAtLevel: () => this.levels.look(),
      rtcAtOnce: new RtcAtOnce(surroundings),
    };
    this.node = new NodeWatch(this.around, {
      clockJudged: () => this.judge(),
      queues: () => this.queues(),
      drainAsked: (operatorId) => void this.drainAsked(operatorId),
      nameLost: (failure) => this.onFatal(failure),
    });
  }

  /**
   * Resolves when the node is a member of the group, or must not become one now (`readiness` says
   * why); waits for what is absent. Throws Fenced when another process lives under its name.
   */
  async start({ configuredPartitionCount, onFatal }: CellStart): Promise<void> {
    const { around } = this;
    this.onFatal = onFatal;
    const layout = await this.untilStopped('topic layout', () =>
      around.partitions.ensureLayout({
        topic: around.options.commandsTopic,
        partitionCount: configuredPartitionCount,
        hash: 'murmur2',
      }),
    );
    await this.untilStopped('register schemas', () =>
      around.schemas.register(around.codec.writerSchemas),
    );
    await this.untilStopped('schema level', () => this.levels.start());
    // Too old a release takes no part at all: its state has a name, and waits for the operator.
    if (layout === null || this.stopped || this.levels.isTooOld) return;
    await this.node.start();
    this.partitionCount = layout.partitionCount;
    this.started = true;
    if (this.mayOwn) await this.join();
  }

  /** Ready while the node can take part; reasons are names for people and probes. */
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] } {
    const reasons: string[] = [];
    const parts = this.membership?.parts ?? null;
    if (!this.started) reasons.push('STARTING');
    if (this.levels.isTooOld) reasons.push('RELEASE_TOO_OLD');
    if (this.node.isClockOff) reasons.push('CLOCK_OFF');
    if (this.draining) reasons.push('DRAINING');
    if (this.down || this.outages.size > 0) reasons.push('DB_DOWN');
    const isTaking = parts !== null && !this.draining && !parts.partitions.settled;
    if (isTaking) reasons.push('TAKING_OVER');
    if (parts === null && reasons.length === 0) reasons.push('JOINING');
    return { ready: reasons.length === 0, reasons };
  }

  /** Partitions that stand still under a named reason; the node is ready all the same. */
  stops(): ReadonlyMap<number, string> {
    return this.membership?.parts.partitions.stops ?? new Map<number, string>();
  }

  /** Partitions owned now, for operators and tests. */
  ownedPartitions(): readonly { readonly id: number; readonly epoch: bigint }[] {
    const owned = this.membership?.parts.partitions.all() ?? [];
    return [...owned].map(({ id, epoch }) => ({ id, epoch }));
  }

  /** How every partition stands that the group gave this node. */
  partitions(): readonly PartitionHealth[] {
    return this.membership?.parts.partitions.health() ?? [];
  }

  /** Committed states of the rooms in memory that exist, to be compared with the stored ones. */
  committedRooms(): readonly RoomState[] {
    return [...(this.membership?.parts.registry.all() ?? [])]
      .filter(({ usable, phase }) => usable && phase === 'ready')
      .map(({ state }) => state)
      .filter(({ version }) => version > 0n);
  }

  /** Gives everything up for good, as `Membership.giveUp` says. Idempotent. */
  async drain(deadlineMs: number): Promise<void> {
    this.draining = true;
    await this.membership?.giveUp(deadlineMs);
    await this.leaving;
  }

  /** Ends everything, drained or not. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.levels.stop();
    this.node.stop();
    await this.membership?.stop();
    await this.leaving;
    await this.node.freeName();
  }

  private get mayOwn(): boolean {
    const mustNot = this.stopped || this.draining || !this.started;
    return !mustNot && !this.levels.isTooOld && !this.node.isClockOff;
  }

  /** Joins or leaves as what is known now says; told again whenever that changes. */
  private judge(): void {
    if (this.leaving !== null || !this.started) return;
    if (this.mayOwn && this.membership === null) {
      void this.join().catch((error: unknown) => this.onFatal(error));
    } else if (!this.mayOwn && this.membership !== null && !this.draining) {
      this.leaving = this.leave(this.membership).finally(() => {
        this.leaving = null;
        this.judge();
      });
    }
  }

  private async join(): Promise<void> {
    const { around } = this;
    const context: CellContext = { ...around, source: around.openSource() };
    const membership: Membership = new Membership(context, this.partitionCount, {
      databaseDown: (down) => {
        if (this.membership === membership) this.down = down;
      },
      consumerDead: (failure) => this.onFatal(failure),
    });
    this.membership = membership;
    await membership.join(this.onFatal);
  }

  /**
   * Race (test "gives everything up when it becomes so while it runs"): the level is raised
   * while a node of the former release still runs.
   *   1. The operator raises the level, and a cell of the new release commits an event above ours.
   *   2. Its partition moves here before we look at the level, and we take it over.
   *   3. We cannot read that log and answer ROOM_CORRUPT for the room: no event of it is ours.
   *   4. The next look gives everything up, and a node that can read it goes on.
   */
  private async leave(membership: Membership): Promise<void> {
    try {
      await membership.giveUp(leaveWithinMs);
      await membership.stop();
    } catch (error) {
      this.around.log.error({ error }, 'a node that must leave could not give everything up');
    }
    this.membership = null;
    this.down = false;
  }

  /** As by SIGTERM, but the process stays, so that whoever runs it does not start it again. */
  private async drainAsked(operatorId: string): Promise<void> {
    const { log } = this.around;
    log.warn({ operatorId }, 'an operator drains this node');
    try {
      await this.drain(leaveWithinMs);
      log.warn(
        { operatorId },
        'the node is drained: it owns nothing until its process is replaced',
      );
    } catch (error) {
      log.error({ error }, 'a drained node could not give everything up');
    }
  }

  /** What waits in each partition that has something waiting, for ListPartitions. */
  private queues(): ReadonlyMap<number, number> {
    const busy = this.partitions().filter(({ queue }) => queue > 0);
    return new Map(busy.map(({ partition, queue }) => [partition, queue]));
  }

  private async *watch(watch: OwnerWatch, signal: AbortSignal): AsyncGenerator<WatchMessage> {
    yield* this.parts().watches.watch(watch, signal);
  }

  private parts(): CellParts {
    if (this.membership !== null) return this.membership.parts;
    throw new Failure('retry', 'UNAVAILABLE', 'the cell is no member of its group');
  }

  private noteOutage(what: string, isOut: boolean): void {
    if (what === kafkaWait) return;
    const count = (this.outages.get(what) ?? 0) + (isOut ? 1 : -1);
    if (count > 0) this.outages.set(what, count);
    else this.outages.delete(what);
  }

  private untilStopped<T>(what: string, run: () => Promise<T>): Promise<T | null> {
    return retryForever(this.around, what, () => !this.stopped, run);
  }
}
