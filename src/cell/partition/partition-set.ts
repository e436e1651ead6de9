/**
 * Which partitions this node owns: the group's assignment on one side, the epoch rows in MySQL on
 * the other. A partition is ours only when both say so; each takeover makes a fresh Partition object,
 * and losing it (to a rebalance, to the fence) kills that object and everything that hangs on it.
 */
import { Failure } from '../../kernel/failure.ts';
import type { LogRange, SourceRecord } from '../../ports/command-source.ts';
import type { TakenPartition } from '../../ports/partition-store.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever } from '../retry-forever.ts';
import { healthOf, type PartitionHealth } from './partition-health.ts';
import { Partition } from './partition.ts';
import { ReleaseMarks } from './release-marks.ts';
import { StandingPartitions, type StandingState } from './standing-partitions.ts';
import { asStop, stopOf, type LogLook } from './stop-rules.ts';

/** Told about partitions that come and go; must not throw. */
export interface PartitionListener {
  /** Taken over and open at the source. */
  onTaken(partition: Partition): void;
  /** No longer ours; the object is inactive already. */
  onLost(partition: Partition): void;
  /** Something of the partition is being committed. */
  hasInHand(partition: Partition): boolean;
  /** Resolves when nothing of a lost partition is being committed any more. */
  doneWith(partition: Partition): Promise<void>;
}

/** See the file header. */
export class PartitionSet {
  private readonly context: CellContext;
  private readonly listener: PartitionListener;
  private assigned = new Set<number>();
  private readonly owned = new Map<number, Partition>();
  private readonly taking = new Set<number>();
  private readonly standing: StandingPartitions;
  private readonly marks: ReleaseMarks;
  private readonly partitionCount: number;
  private closed = false;

  /** `partitionCount`: of the layout, whatever Kafka says. */
  constructor(context: CellContext, partitionCount: number, listener: PartitionListener) {
    this.context = context;
    this.partitionCount = partitionCount;
    this.listener = listener;
    this.marks = new ReleaseMarks(context);
    this.standing = new StandingPartitions(context, (id) => this.take(id, 0));
  }

  find(id: number): Partition | undefined {
    return this.owned.get(id);
  }

  all(): IterableIterator<Partition> {
    return this.owned.values();
  }

  /** Partitions that stand still, with the name of the reason. */
  get stops(): ReadonlyMap<number, StandingState> {
    return this.standing.states;
  }

  /** How every partition stands that the group gave this node, by id. */
  health(): readonly PartitionHealth[] {
    const nowMonoMs = this.context.clock.monoMs();
    return [...this.assigned]
      .sort((one, other) => one - other)
      .map((id) => healthOf(id, this.owned.get(id), this.standing.states.get(id), nowMonoMs));
  }

  /** Does what operators have said about partitions that stand still. */
  lookAtStops(): Promise<void> {
    return this.standing.look();
  }

  /** Takeovers are under way. After `close` they give up what they get, and end. */
  get isTaking(): boolean {
    return this.taking.size > 0;
  }

  /** All assigned partitions are taken over, or stand still under a named reason. */
  get settled(): boolean {
    return [...this.assigned].every((id) => this.owned.has(id) || this.standing.has(id));
  }

  /** The group's new assignment: what is missing is lost, what is new is taken over. */
  assign(ids: readonly number[]): void {
    this.assigned = new Set(ids);
    for (const [id, partition] of this.owned) {
      if (!this.assigned.has(id)) this.handOver(partition);
    }
    for (const id of this.standing.states.keys()) {
      if (!this.assigned.has(id)) this.standing.forget(id);
    }
    for (const id of ids) {
      if (id < this.partitionCount) this.take(id, 0);
      else this.standing.addForeign(id);
    }
  }

  /** The fence refused us: forget everything, and come back if the group still wants us to. */
  fenced(partition: Partition): void {
    if (!partition.active) return;
    this.context.log.warn(
      { partition: partition.id, epoch: partition.epoch },
      'fenced: a higher epoch owns the partition',
    );
    this.lose(partition);
    this.take(partition.id, this.retakePauseMs());
  }

  /**
   * The log no longer holds the offset that comes next, found out while running: the partition
   * stands still from here on, under its name, until an operator has looked at it (A3). A report
   * about an opening that was lost meanwhile counts for nothing: a takeover looks at the log itself.
   */
  outOfRange(id: number, expectedOffset: bigint, range: LogRange): void {
    const partition = this.owned.get(id);
    if (partition === undefined) return;
    this.lose(partition);
    const look = { ...partition.look, appliedOffset: expectedOffset - 1n, range };
    // By now the log may look well again; the driver's word counts.
    this.standing.add(stopOf(look) ?? asStop(look, 'GAP'), partition.epoch);
  }

  /**
   * Whether the first records of an opened partition follow what was applied. They begin with the
   * record that was applied last, as far as it is retained: appended at another time, it is another
   * record, of another log under the topic's name. The partition stands still then.
   */
  isSameLog(partition: Partition, records: readonly SourceRecord[]): boolean {
    const [first] = records;
    const { unverifiedMs } = partition;
    if (first === undefined || unverifiedMs === null) return true;
    partition.unverifiedMs = null;
    const isApplied = first.offset === partition.look.appliedOffset;
    if (!isApplied || first.recordTimeMs === unverifiedMs) return true;
    this.lose(partition);
    this.standing.add(asStop(partition.look, 'TOPIC_CHANGED'), partition.epoch);
    return false;
  }

  /** Takes no more partitions; those it has stay until `releaseAll`. */
  close(): void {
    this.closed = true;
    this.marks.stop();
  }

  /**
   * Marks every partition as given up, so that the next owner need not wait. The mark of one of which a
   * transaction is still in hand comes behind that, and is not waited for.
   */
  async releaseAll(): Promise<void> {
    const partitions = [...this.owned.values()];
    for (const partition of partitions) this.lose(partition);
    const inHand = partitions.filter((partition) => this.listener.hasInHand(partition));
    for (const partition of inHand) void this.markWhenDone(partition);
    const done = partitions.filter((partition) => !inHand.includes(partition));
    await Promise.all(done.map((partition) => this.markReleased(partition)));
  }

  /** Ends all ownership in memory without a word to the stores: waits that depend on it end, too. */
  abandon(): void {
    this.closed = true;
    this.marks.stop();
    for (const partition of [...this.owned.values()]) this.lose(partition);
  }

  private handOver(partition: Partition): void {
    this.context.log.info({ partition: partition.id, epoch: partition.epoch }, 'partition lost');
    this.lose(partition);
    void this.markWhenDone(partition);
  }

  /**
   * Race (test "is marked as given up only when its transaction is through"):
   *   1. A transaction of the partition is on its way to MySQL, and the group takes the partition away.
   *   2. The mark is set before the transaction's fence step; the successor sees it and takes over.
   *   3. The transaction is fenced out: its callers, who were as good as answered, wait for the
   *      successor to do the same work again.
   * Closed by setting the mark behind the transaction. A lane that is stuck in an outage sets none.
   */
  private async markWhenDone(partition: Partition): Promise<void> {
    await this.listener.doneWith(partition);
    await this.markReleased(partition);
  }

  private lose(partition: Partition): void {
    partition.deactivate();
    this.owned.delete(partition.id);
    this.listener.onLost(partition);
  }

  /** Best effort: without the mark the successor waits a moment longer, nothing else. */
  private async markReleased(partition: Pick<Partition, 'id' | 'epoch'>): Promise<void> {
    const { partitions, options, log } = this.context;
    try {
      await partitions.release(partition.id, partition.epoch, options.incarnation);
      this.marks.tell();
    } catch (error) {
      log.warn({ partition: partition.id, error }, 'the release mark could not be set');
    }
  }

  private take(id: number, pauseMs: number): void {
    if (!this.wanted(id) || this.taking.has(id)) return;
    if (this.owned.has(id) || this.standing.has(id)) return;
    this.taking.add(id);
    void this.takeOverOnce(id, pauseMs).finally(() => {
      this.taking.delete(id);
      // Lost and assigned again while this takeover ran, or outrun by another node: begin anew.
      this.take(id, this.retakePauseMs());
    });
  }

  private wanted(id: number): boolean {
    return !this.closed && this.assigned.has(id);
  }

  private retakePauseMs(): number {
    return this.context.options.retakePauseMs * (0.5 + this.context.random.fraction('retake'));
  }

  /** Another node may take the partition in the same moment; then the group's next word decides. */
  private async takeOverOnce(id: number, pauseMs: number): Promise<void> {
    try {
      await this.takeOver(id, pauseMs);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'fenced') throw error;
      this.context.log.warn({ partition: id, error: error.message }, 'outrun in a takeover');
    }
  }

  private async takeOver(id: number, pauseMs: number): Promise<void> {
    if (pauseMs > 0) await this.context.timers.sleep(pauseMs);
    await this.marks.wait(id, () => this.wanted(id));
    const { options, partitions, source, clock, trace, log, metrics } = this.context;
    const { nodeId, incarnation, lane, advertiseAddr } = options;
    const wanted = (): boolean => this.wanted(id);
    const taken = await retryForever(this.context, 'take over', wanted, () =>
      partitions.takeover({ partition: id, nodeId, incarnation, lane, advertiseAddr }),
    );
    if (taken === null) return;
    trace.at('cell.takeover_done');
    const look = await this.lookAtLog(taken, wanted);
    if (look === null || !wanted()) {
      // Ours since the UPDATE, and not wanted any more: the next owner need not wait for us.
      await this.markReleased({ id, epoch: taken.epoch });
      return;
    }
    metrics.count('cell_takeovers_total');
    const stop = stopOf(look);
    if (stop !== null) {
      this.standing.add(stop, taken.epoch);
      return;
    }
    const { epoch, appliedOffset, wasReleased } = taken;
    const partition = new Partition(taken, look, clock.monoMs());
    this.owned.set(id, partition);
    source.open(id, partition.unverifiedMs === null ? appliedOffset + 1n : appliedOffset);
    log.info({ partition: id, epoch, appliedOffset, wasReleased }, 'partition taken over');
    this.listener.onTaken(partition);
    void this.standing.runs(id, epoch);
  }

  /** Behind the takeover: nobody but us moves the applied offset any more, so no hint passes it. */
  private lookAtLog(
    { partition, appliedOffset, acceptedHint }: TakenPartition,
    wanted: () => boolean,
  ): Promise<LogLook | null> {
    const { source } = this.context;
    return retryForever(this.context, 'read log range', wanted, async () => {
      const [range, committedOffset] = await Promise.all([
        source.logRange(partition),
        source.committedOffset(partition),
      ]);
      return { partition, appliedOffset, acceptedHint, range, committedOffset };
    });
  }
}
