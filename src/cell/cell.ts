/**
 * The cell's lifecycle and the wiring of its parts. Stages of a life: start (layout, schemas, join
 * the group), serve, drain (no new work, finish and answer what is in hand, release), stop.
 */
import type { RoomState } from '../domain/room/state.ts';
import type { SourceRecord } from '../ports/command-source.ts';
import type { CellContext } from './cell-context.ts';
import { Charges } from './charges/charges.ts';
import { isGift } from './charges/payment.ts';
import { Settler } from './charges/settler.ts';
import { Deadlines } from './deadlines.ts';
import { Heartbeats } from './intake/heartbeats.ts';
import { Intake } from './intake/intake.ts';
import { PoisonSearch } from './intake/poison-search.ts';
import { Lane } from './lane/lane.ts';
import { OwnershipCheck } from './partition/ownership-check.ts';
import { PartitionSet } from './partition/partition-set.ts';
import type { Partition } from './partition/partition.ts';
import type { RoomCell } from './registry/room-cell.ts';
import { RoomRegistry } from './registry/room-registry.ts';
import { retryForever, retryPauseMs } from './retry-forever.ts';
import { Snapshots } from './snapshots.ts';
import { Ticker } from './ticker.ts';
import { brokenRoomRefusal, type RoomItem } from './work.ts';

/** The one wait that is not for MySQL; readiness says TAKING_OVER while it lasts. */
const kafkaWait = 'read log range';
/** How often a drain looks whether everything is finished. */
const drainPollMs = 10;

/** Parameters that are asked for once at start. */
export interface CellStart {
  readonly configuredPartitionCount: number;
  /** Called when the cell can no longer work: the process must end with a non-zero code. */
  onFatal(cause: unknown): void;
}

/** One cell node. See the file header and README.md. */
export class Cell {
  private readonly context: CellContext;
  private parts: CellParts | null = null;
  private draining = false;
  private stopped = false;
  private down = false;
  /** Waits for MySQL under way, by what they wait for. */
  private readonly outages = new Map<string, number>();

  constructor(context: CellContext) {
    this.context = { ...context, onOutage: (what, isOut) => this.noteOutage(what, isOut) };
  }

  /** Resolves when the node is a member of the group; waits for what is absent. */
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
    if (layout === null || this.stopped) return;
    const parts = this.build(layout.partitionCount);
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
    parts.partitions.close();
    parts.deadlines.stop();
    parts.search.stop();
    await this.waitUntil(untilMonoMs, () => this.nothingInHand(parts));
    parts.settler.stop();
    for (const partition of parts.partitions.all()) {
      if (partition.needsFlush) parts.lane.partitionHasWork(partition);
    }
    await this.waitUntil(untilMonoMs, () => isQuiet(parts) && !parts.partitions.isTaking);
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
    const { parts } = this;
    if (parts === null) return;
    parts.ticker.stop();
    parts.deadlines.stop();
    parts.settler.stop();
    await this.context.source.stop();
    const laneEnded = parts.lane.stop();
    // Without this, what waits for an outage would wait on, and the lane with it.
    parts.partitions.abandon();
    await laneEnded;
  }

  private build(partitionCount: number): CellParts {
    const { context } = this;
    const registry = new RoomRegistry(context, { onLoaded: (room) => this.loaded(room) });
    const lane = new Lane(context, {
      fenced: (partition) => this.parts?.partitions.fenced(partition),
      stale: (room, items) => this.reload(room, items),
      fenceBusy: (partition) => void this.lookAtOwner(partition),
      settled: (rooms, partitions) => this.settled(rooms, partitions),
      databaseDown: (down) => {
        this.down = down;
      },
      startCharges: (room) => charges.start(room),
      settlementsOpen: () => this.parts?.settler.hint(),
    });
    const ownership = new OwnershipCheck(context, (partition) =>
      this.parts?.partitions.fenced(partition),
    );
    const charges = new Charges(context, registry, {
      roomHasWork: (room) => lane.roomHasWork(room),
      confirmOwned: (partition) => ownership.confirm(partition),
    });
    const partitions = new PartitionSet(context, {
      onTaken: (partition) => {
        search.taken(partition);
        void this.parts?.deadlines.wakeDue(partition);
      },
      onLost: (partition) => this.lost(partition),
    });
    const deadlines = new Deadlines(context, registry, (room) => lane.roomHasWork(room));
    const heartbeats = new Heartbeats(context, registry, partitionCount, (partition) =>
      this.settledIn(partition),
    );
    const intake = new Intake(context, partitionCount, {
      registry,
      roomHasWork: (room) => lane.roomHasWork(room),
      partitionHasWork: (partition) => lane.partitionHasWork(partition),
      heartbeats: (partition, work) => heartbeats.accept(partition, work),
      hold: (arrival) => search.hold(arrival),
    });
    const search = new PoisonSearch(context, {
      read: (arrivals) => intake.read(arrivals),
      fenced: (partition) => this.parts?.partitions.fenced(partition),
    });
    const snapshots = new Snapshots(context);
    const settler = new Settler(context, partitions);
    const ticker = new Ticker(context, { partitions, lane, deadlines });
    const timed = { deadlines, ticker, settler };
    const incoming = { intake, search, heartbeats };
    return { registry, lane, partitions, ownership, ...incoming, snapshots, ...timed };
  }

  private assigned(ids: readonly number[]): void {
    this.context.log.info({ partitions: ids }, 'assignment of the group');
    if (this.draining || this.parts === null) return;
    const { partitions, ownership } = this.parts;
    partitions.assign(ids);
    // Those that it kept: another node may have had them since the group last spoke to this one.
    for (const partition of partitions.all()) void ownership.confirm(partition);
  }

  private records(id: number, records: readonly SourceRecord[]): void {
    // Draining: what was not accepted stays in the topic for the next owner.
    if (this.draining || this.parts === null) return;
    const partition = this.parts.partitions.find(id);
    if (partition !== undefined) this.parts.intake.accept(partition, records);
  }

  private loaded(room: RoomCell): void {
    if (this.parts === null) return;
    const { lane, deadlines, heartbeats } = this.parts;
    if (room.phase === 'broken') this.refuseAll(room);
    lane.roomHasWork(room);
    deadlines.arm(room);
    heartbeats.loaded(room);
  }

  /**
   * A broken room answers its commands, so that its partition can go on. Gifts that may have been
   * paid for stay: the lane logs them as rejections, which gives the coins back.
   */
  private refuseAll(room: RoomCell): void {
    for (const item of room.pending.splice(0)) {
      if (isGift(item) && item.payment.asked) room.pending.push(item);
      else if (item.kind === 'command') room.partition.loose.push(brokenRoomRefusal(item));
    }
    this.parts?.lane.partitionHasWork(room.partition);
  }

  private reload(room: RoomCell, items: readonly RoomItem[]): void {
    this.context.log.warn({ roomKey: room.key }, 'memory and database differ: loading anew');
    this.parts?.registry.reload(room, items);
    this.parts?.heartbeats.dropped();
  }

  private lost(partition: Partition): void {
    if (this.parts === null) return;
    this.parts.deadlines.forget(partition);
    this.parts.registry.dropPartition(partition);
    this.parts.heartbeats.dropped();
    this.parts.search.lost(partition);
  }

  private settled(rooms: readonly RoomCell[], partitions: readonly Partition[]): void {
    if (this.parts === null) return;
    for (const room of rooms) {
      this.parts.deadlines.ran(room);
      this.parts.snapshots.consider(room);
    }
    for (const partition of partitions) this.settledIn(partition);
  }

  /** Offsets of the partition were settled. */
  private settledIn(partition: Partition): void {
    this.parts?.intake.checkWaterMarks(partition);
    this.parts?.search.moved(partition);
  }

  /**
   * 1205 on a fence row: a takeover is at work, or a frozen former owner holds the row. The other
   * partitions have gone on; this one asks MySQL whose it is and then goes on or gives up.
   */
  private async lookAtOwner(partition: Partition): Promise<void> {
    const row = await retryForever(
      this.context,
      'read owner after a busy fence',
      () => partition.active,
      () => this.context.partitions.readOwner(partition.id),
    );
    if (!partition.active || this.parts === null) return;
    if (row !== null && row.epoch > partition.epoch) {
      this.parts.partitions.fenced(partition);
      return;
    }
    // Each try costs the whole lane a lock wait: the longer the row is held, the rarer they are.
    partition.busyInARow += 1;
    await this.context.timers.sleep(retryPauseMs(this.context, partition.busyInARow));
    if (!partition.active) return;
    partition.held = false;
    if (partition.loose.length > 0) this.parts.lane.partitionHasWork(partition);
    for (const room of this.parts.registry.all()) {
      if (room.partition === partition) this.parts.lane.roomHasWork(room);
    }
  }

  private nothingInHand(parts: CellParts): boolean {
    if (!parts.intake.idle || !parts.lane.idle || !parts.heartbeats.idle) return false;
    if (!parts.search.idle) return false;
    return [...parts.registry.all()].every(({ pending }) => pending.length === 0);
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

interface CellParts {
  readonly registry: RoomRegistry;
  readonly lane: Lane;
  readonly partitions: PartitionSet;
  readonly ownership: OwnershipCheck;
  readonly deadlines: Deadlines;
  readonly heartbeats: Heartbeats;
  readonly intake: Intake;
  readonly search: PoisonSearch;
  readonly snapshots: Snapshots;
  readonly ticker: Ticker;
  readonly settler: Settler;
}

function isQuiet({ lane, snapshots, settler }: CellParts): boolean {
  return lane.idle && snapshots.idle && settler.idle;
}
