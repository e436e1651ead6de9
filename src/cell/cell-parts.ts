/**
 * The working parts of one cell node and how they are wired: what each tells the others. Made once the
 * partition count is known; the lifecycle around them is the cell's.
 */
import type { Failure } from '../kernel/failure.ts';
import type { SourceRecord } from '../ports/command-source.ts';
import type { CellContext } from './cell-context.ts';
import { Charges } from './charges/charges.ts';
import { isGift } from './charges/payment.ts';
import { Settler } from './charges/settler.ts';
import { Deadlines } from './deadlines.ts';
import { RoomDisplays } from './displays/room-displays.ts';
import { Heartbeats } from './intake/heartbeats.ts';
import { Intake } from './intake/intake.ts';
import { PoisonSearch } from './intake/poison-search.ts';
import { WaterMarks } from './intake/water-marks.ts';
import type { RoomDraft } from './lane/draft.ts';
import { Lane } from './lane/lane.ts';
import { ConsumerWatch, tellPartition } from './partition/consumer-watch.ts';
import { OwnershipCheck } from './partition/ownership-check.ts';
import { PartitionSet } from './partition/partition-set.ts';
import type { Partition } from './partition/partition.ts';
import { Sweeper } from './presence/sweeper.ts';
import type { RoomCell } from './registry/room-cell.ts';
import { CellReads } from './reads/cell-reads.ts';
import { OwnedRooms } from './reads/owned-rooms.ts';
import { RoomRegistry } from './registry/room-registry.ts';
import { Robots } from './robots/robots.ts';
import { RocketWakes } from './rocket-wakes.ts';
import { retryForever, retryPauseMs } from './retry-forever.ts';
import { Snapshots } from './snapshots.ts';
import { Ticker } from './ticker.ts';
import { CellWatches } from './watch/cell-watches.ts';
import { brokenRoomRefusal, type RoomItem } from './work.ts';

/** Told what concerns the whole node. */
export interface PartsListener {
  /** Transactions are (not) taken. */
  databaseDown(down: boolean): void;
  /** The consumer is silent: the process must end. */
  consumerDead(failure: Failure): void;
}

/** See the file header. */
export class CellParts {
  readonly registry: RoomRegistry;
  readonly lane: Lane;
  readonly partitions: PartitionSet;
  readonly deadlines: Deadlines;
  readonly search: PoisonSearch;
  readonly ticker: Ticker;
  readonly settler: Settler;
  readonly sweeper: Sweeper;
  readonly snapshots: Snapshots;
  readonly reads: CellReads;
  readonly watches: CellWatches;
  readonly displays: RoomDisplays;
  readonly robots: Robots;
  private readonly context: CellContext;
  private readonly owned: OwnedRooms;
  private readonly ownership: OwnershipCheck;
  private readonly charges: Charges;
  private readonly heartbeats: Heartbeats;
  private readonly intake: Intake;
  private readonly waterMarks: WaterMarks;

  constructor(context: CellContext, partitionCount: number, told: PartsListener) {
    const fenced = (partition: Partition): void => this.partitions.fenced(partition);
    const roomHasWork = (room: RoomCell): void => this.lane.roomHasWork(room);
    this.context = context;
    this.waterMarks = new WaterMarks(context, () => this.partitions.all());
    this.displays = new RoomDisplays(context, partitionCount);
    this.registry = new RoomRegistry(context, {
      onLoaded: (room) => this.loaded(room),
      onLeaving: (room) => this.snapshots.leaving(room),
    });
    this.lane = new Lane(context, {
      fenced,
      stale: (room, items) => this.reload(room, items),
      fenceBusy: (partition) => void this.lookAtOwner(partition),
      published: (drafts) => this.published(drafts),
      settled: (rooms, partitions) => this.settled(rooms, partitions),
      databaseDown: (down) => told.databaseDown(down),
      snapshotFirst: (room, done) => this.snapshots.force(room, done),
      startCharges: (room) => this.charges.start(room),
      settlementsOpen: () => this.settler.hint(),
    });
    this.ownership = new OwnershipCheck(context, fenced);
    this.charges = new Charges(context, this.registry, {
      roomHasWork,
      confirmOwned: (partition) => this.ownership.confirm(partition),
    });
    this.partitions = new PartitionSet(context, partitionCount, {
      onTaken: (partition) => {
        this.waterMarks.check(partition);
        this.search.taken(partition);
        void this.deadlines.wakeDue(partition);
      },
      onLost: (partition) => this.lost(partition),
      hasInHand: (partition) => this.lane.hasInHand(partition),
      doneWith: (partition) => this.lane.doneWith(partition),
    });
    this.deadlines = new Deadlines(context, this.registry, roomHasWork);
    this.heartbeats = new Heartbeats(context, this.registry, partitionCount, {
      settled: (partition) => this.settledIn(partition),
      confirm: (room, userId, micSessionId) => this.deadlines.confirm(room, userId, micSessionId),
    });
    this.intake = new Intake(context, partitionCount, {
      registry: this.registry,
      roomHasWork,
      partitionHasWork: (partition) => this.lane.partitionHasWork(partition),
      heartbeats: (partition, work) => this.heartbeats.accept(partition, work),
      delivered: (partition) => this.waterMarks.check(partition),
      hold: (arrival) => this.search.hold(arrival),
    });
    this.search = new PoisonSearch(context, {
      read: (arrivals) => this.intake.read(arrivals),
      fenced,
    });
    this.snapshots = new Snapshots(context);
    const { registry, partitions, deadlines } = this;
    this.owned = new OwnedRooms(context, { partitionCount, partitions, registry, fenced });
    this.reads = new CellReads(context, this.owned);
    this.watches = new CellWatches(context, this.owned);
    this.settler = new Settler(context, this.partitions);
    this.sweeper = new Sweeper(context, { registry, partitions, deadlines });
    this.robots = new Robots(context, partitionCount, { partitions, registry });
    this.ticker = this.newTicker(partitionCount, (dead) => told.consumerDead(dead));
  }

  /** The group's new assignment. */
  assigned(ids: readonly number[]): void {
    const { partitions, ownership } = this;
    partitions.assign(ids);
    // Those that it kept: another node may have had them since the group last spoke to this one.
    for (const partition of partitions.all()) void ownership.confirm(partition);
  }

  /** Records of a partition; of one that is not ours any more they are the next owner's. */
  records(id: number, records: readonly SourceRecord[]): void {
    const partition = this.partitions.find(id);
    if (partition === undefined || !this.partitions.isSameLog(partition, records)) return;
    this.intake.accept(partition, records);
  }

  /** Nothing that was accepted waits to be decided. */
  get nothingInHand(): boolean {
    const { intake, lane, heartbeats, search, registry } = this;
    if (!intake.idle || !lane.idle || !heartbeats.idle || !search.idle) return false;
    return [...registry.all()].every(({ pending }) => pending.length === 0);
  }

  /** No call to a store or to the wallet is under way, apart from looks that come again. */
  get isQuiet(): boolean {
    const { lane, snapshots, settler, partitions } = this;
    return lane.idle && snapshots.idle && settler.idle && !partitions.isTaking;
  }

  private newTicker(partitionCount: number, dead: PartsListener['consumerDead']): Ticker {
    const { context, registry, partitions, lane, deadlines, ownership, sweeper, robots } = this;
    return new Ticker(context, {
      robots,
      rockets: new RocketWakes(context, partitionCount, { partitions, registry }),
      partitions,
      lane,
      deadlines,
      ownership,
      consumer: new ConsumerWatch(context, partitions, dead),
      sweeper,
    });
  }

  private loaded(room: RoomCell): void {
    if (room.phase === 'broken') this.refuseAll(room);
    this.lane.roomHasWork(room);
    this.deadlines.arm(room);
    this.heartbeats.loaded(room);
    this.owned.loaded(room);
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
    this.lane.partitionHasWork(room.partition);
  }

  private reload(room: RoomCell, items: readonly RoomItem[]): void {
    this.context.log.warn({ roomKey: room.key }, 'memory and database differ: loading anew');
    this.registry.reload(room, items);
    this.heartbeats.dropped();
  }

  private published(drafts: readonly RoomDraft[]): void {
    this.watches.committed(drafts);
    this.displays.committed(drafts);
  }

  private lost(partition: Partition): void {
    this.robots.lost(partition);
    this.waterMarks.check(partition);
    tellPartition(this.context, partition, this.context.clock.monoMs());
    this.displays.lost(partition);
    this.deadlines.forget(partition);
    this.registry.dropPartition(partition);
    this.heartbeats.dropped();
    this.search.lost(partition);
    this.owned.lost(partition);
    this.watches.lost(partition);
  }

  private settled(rooms: readonly RoomCell[], partitions: readonly Partition[]): void {
    for (const room of rooms) {
      this.deadlines.ran(room);
      this.snapshots.consider(room);
      // RES-29. What waits for it, or is split off from the batch, loads the tombstone.
      const isGone = room.state.status === 'deleted' && room.pending.length === 0;
      if (isGone) this.registry.drop(room);
    }
    this.robots.settled(rooms);
    for (const partition of partitions) this.settledIn(partition);
    this.owned.committed();
  }

  /** Offsets of the partition were settled. */
  private settledIn(partition: Partition): void {
    partition.noteProgress(this.context.clock.monoMs());
    this.waterMarks.check(partition);
    this.search.moved(partition);
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
    if (!partition.active) return;
    if (row !== null && row.epoch > partition.epoch) {
      this.partitions.fenced(partition);
      return;
    }
    // Each try costs the whole lane a lock wait: the longer the row is held, the rarer they are.
    partition.busyInARow += 1;
    await this.context.timers.sleep(retryPauseMs(this.context, partition.busyInARow));
    if (!partition.active) return;
    partition.held = false;
    if (partition.loose.length > 0) this.lane.partitionHasWork(partition);
    for (const room of this.registry.all()) {
      if (room.partition === partition) this.lane.roomHasWork(room);
    }
  }
}
