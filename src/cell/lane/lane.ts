/**
 * The commit lane: gathers what all partitions of this node have ready, up to a number of commands
 * and bytes, and sees it through as one transaction. While one runs the next gathers by itself: a
 * lone command goes at once, under load batches grow (architecture section 4).
 */
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import { decidableCount } from '../charges/payment.ts';
import { itemBytes, type RoomItem } from '../work.ts';
import { CommitWork, type CommitTargets } from './commit-work.ts';
import type { PartitionWork, RoomDraft, RoomWork } from './draft.ts';
import { looseItems, publishBatch, type SnapshotFirst } from './publish.ts';

/** What the lane tells the rest of the cell. */
export interface LaneTargets {
  /** The partition was lost to a successor (or refused by the fence). */
  fenced(partition: Partition): void;
  /** Memory and database differ about the room. */
  stale(room: RoomCell, items: readonly RoomItem[]): void;
  /** Somebody holds the owner row: look at it, then give the work back. */
  fenceBusy(partition: Partition): void;
  /** These drafts are the live states now: whoever watches the rooms is told. Must not throw. */
  published(drafts: readonly RoomDraft[]): void;
  /** After a commit: deadlines, snapshots, water marks, Kafka's hint. */
  settled(rooms: readonly RoomCell[], partitions: readonly Partition[]): void;
  databaseDown(down: boolean): void;
  /** A command of the room is answered after its snapshot. */
  readonly snapshotFirst: SnapshotFirst;
  /** Gifts may stand at the front of the room's queue: ask the wallet for those that are due. */
  startCharges(room: RoomCell): void;
  /** Debits were committed as owed back. */
  settlementsOpen(): void;
}

/** See the file header. */
export class Lane implements CommitTargets {
  private readonly context: CellContext;
  private readonly laneTargets: LaneTargets;
  private readonly readyRooms: RoomCell[] = [];
  private readonly readyPartitions = new Set<Partition>();
  private wakeUp: Deferred<void> = createDeferred();
  private stopping = false;
  private working = false;
  private loop: Promise<void> | null = null;
  private current: readonly PartitionWork[] = [];
  /** Told when the work in hand has ended. */
  private ended: Deferred<void> = createDeferred();

  constructor(context: CellContext, targets: LaneTargets) {
    this.context = context;
    this.laneTargets = targets;
  }

  /** Begins to work. The promise rejects only on a broken invariant: the process must end. */
  start(): Promise<void> {
    this.loop ??= this.run();
    return this.loop;
  }

  /** Ends after the transaction in hand; what waits stays unanswered for the next owner. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wakeUp.resolve();
    await this.loop;
  }

  get idle(): boolean {
    return !this.working && this.readyRooms.length === 0 && this.readyPartitions.size === 0;
  }

  /** A transaction of the partition is under way, or about to be. */
  hasInHand(partition: Partition): boolean {
    return this.current.some((work) => work.partition === partition);
  }

  /** Resolves when nothing of a lost partition is in hand: nothing of it can begin any more. */
  async doneWith(partition: Partition): Promise<void> {
    while (this.hasInHand(partition)) await this.ended.promise;
  }

  /** The room has items that may be decided. */
  roomHasWork(room: RoomCell): void {
    if (room.pending.length === 0 || room.phase === 'loading' || !room.usable) return;
    this.laneTargets.startCharges(room);
    if (room.queued || room.partition.held) return;
    room.queued = true;
    this.readyRooms.push(room);
    this.wakeUp.resolve();
  }

  /** The partition has loose items, or an applied offset to write. */
  partitionHasWork(partition: Partition): void {
    if (partition.held) return;
    this.readyPartitions.add(partition);
    this.wakeUp.resolve();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const works = this.gather();
      if (works.length === 0) {
        await this.wakeUp.promise;
        this.wakeUp = createDeferred();
        continue;
      }
      this.working = true;
      this.current = works;
      await new CommitWork(this.context, this).run(works);
      this.release(works);
      this.working = false;
      this.ended.resolve();
      this.ended = createDeferred();
    }
  }

  private gather(): readonly PartitionWork[] {
    const { batchCommandsMax, batchBytesMax } = this.context.options;
    const byPartition = new Map<Partition, RoomWork[]>();
    let commands = 0;
    let bytes = 0;
    while (this.readyRooms.length > 0 && commands < batchCommandsMax && bytes < batchBytesMax) {
      const room = this.readyRooms.shift();
      if (room === undefined) break;
      room.queued = false;
      if (!room.usable || room.partition.held) continue;
      const items: RoomItem[] = [];
      // A room that is in this batch already is looked at again after its commit.
      let left = room.inBatch ? 0 : decidableCount(room, this.context.clock.wallMs());
      while (left > 0 && commands < batchCommandsMax && bytes < batchBytesMax) {
        const item = room.pending.shift();
        if (item === undefined) break;
        left -= 1;
        items.push(item);
        commands += 1;
        bytes += itemBytes(item);
      }
      if (items.length === 0) continue;
      room.inBatch = true;
      const rooms = byPartition.get(room.partition) ?? [];
      byPartition.set(room.partition, [...rooms, { room, items }]);
    }
    for (const partition of this.readyPartitions) {
      if (!partition.active || partition.held) continue;
      if (!byPartition.has(partition)) byPartition.set(partition, []);
    }
    this.readyPartitions.clear();
    if (commands > 0) this.context.metrics.observeMs('cell_batch_commands', commands);
    return [...byPartition].map(([partition, rooms]) => ({
      partition,
      rooms,
      loose: partition.loose.splice(0, batchCommandsMax),
    }));
  }

  private release(works: readonly PartitionWork[]): void {
    this.current = [];
    for (const { partition, rooms } of works) {
      for (const { room } of rooms) {
        room.inBatch = false;
        this.roomHasWork(room);
      }
      if (partition.active && partition.loose.length > 0) this.partitionHasWork(partition);
    }
  }

  // CommitTargets: what a transaction's ends ask of the lane.

  committed(
    built: Parameters<CommitTargets['committed']>[0],
    drafts: Parameters<CommitTargets['committed']>[1],
    saveMutationMs: number,
  ): void {
    const partitions = [...built.settles.keys()];
    // A split batch commits in parts: only loose items of this part's offsets are answered now.
    const loose = looseItems(this.current).filter(({ record }) =>
      partitions.some(
        (partition) =>
          partition.id === record.partition && built.settles.get(partition)?.has(record.offset),
      ),
    );
    const { snapshotFirst } = this.laneTargets;
    publishBatch(this.context, built, drafts, loose, saveMutationMs, snapshotFirst);
    this.laneTargets.published(drafts);
    if (built.batch.settlements.length > 0) this.laneTargets.settlementsOpen();
    this.laneTargets.settled(
      drafts.map(({ room }) => room),
      partitions,
    );
  }

  fenced(partitions: readonly Partition[]): void {
    for (const partition of partitions) {
      this.context.metrics.count('cell_fenced_total');
      this.laneTargets.fenced(partition);
    }
  }

  stale(room: RoomCell, items: readonly RoomItem[]): void {
    this.laneTargets.stale(room, items);
  }

  postponed(work: PartitionWork): void {
    work.partition.held = true;
    for (const { room, items } of work.rooms) room.putBack(items);
    work.partition.loose.unshift(...work.loose);
    this.laneTargets.fenceBusy(work.partition);
  }

  databaseDown(down: boolean): void {
    this.laneTargets.databaseDown(down);
  }

  goOn(): boolean {
    return !this.stopping;
  }
}
