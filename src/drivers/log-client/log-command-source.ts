/**
 * The commands topic as the cell reads it. The handler only hands over and returns, so heartbeats
 * never wait for work; where to go on is decided by the partition book and the cell's `open`, never
 * by the group's committed offsets.
 */
import type { CommandSource, CommandSourceHandlers, LogRange } from '../../ports/command-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { HintCommitter } from './hint-committer.ts';
import type { FetchedBatch, GroupMembership, JoinGroup, LogOffsetReader } from './log-transport.ts';
import { PartitionBook } from './partition-book.ts';

/** All times in ms; what is absent has the default that measurements led to. */
export interface CommandSourceSettings {
  readonly topic: string;
  readonly groupId: string;
  /** Stable name of this node (survives restarts): the assignment stands on it. */
  readonly instanceName: string;
  /** Partitions of the topic: so many batches may be handed over at once. */
  readonly partitionCount: number;
  /** Default 10000. */
  readonly sessionTimeoutMs?: number;
  /** Default 15000. */
  readonly rebalanceTimeoutMs?: number;
  /** Default 150. */
  readonly heartbeatIntervalMs?: number;
  /** Default 100. */
  readonly maxWaitMs?: number;
  /** Default 512 KiB. */
  readonly maxBytesPerPartition?: number;
  /** `stop` ends within this, left or not. Default 3000. */
  readonly stopTimeoutMs?: number;
}

/** See the port for the guarantees. */
export class LogCommandSource implements CommandSource {
  private readonly deps: DriverPorts;
  private readonly member: GroupMembership;
  private readonly offsets: LogOffsetReader;
  private readonly hints: HintCommitter;
  private readonly book = new PartitionBook();
  private readonly topic: string;
  private readonly groupId: string;
  private handlers: CommandSourceHandlers | null = null;
  /** What the cell was last told. */
  private announced: ReadonlySet<number> = new Set();
  /** Announced before, lost and regained since: the cell must hear of the loss, too. */
  private readonly regained = new Set<number>();

  /** Nothing is connected before `start`. */
  constructor(
    { topic, groupId }: Pick<CommandSourceSettings, 'topic' | 'groupId'>,
    transport: { readonly join: JoinGroup; readonly offsets: LogOffsetReader },
    deps: DriverPorts,
  ) {
    this.deps = deps;
    this.topic = topic;
    this.groupId = groupId;
    this.offsets = transport.offsets;
    this.member = transport.join({
      onJoined: (partitions) => this.onJoined(partitions),
      onConfirmed: () => this.announce(),
      onRebalancing: () => this.handlers?.onRebalancing(),
      onFetchAnswered: () => undefined,
      onBatch: (batch) => this.onBatch(batch),
      onLeft: () => this.onLeft(),
      onCrashed: (cause) => this.handlers?.onCrashed(cause),
    });
    this.hints = new HintCommitter((offsets) => this.member.commit(offsets), topic, deps);
  }

  async start(handlers: CommandSourceHandlers): Promise<void> {
    this.handlers = handlers;
    await this.member.start();
  }

  open(partition: number, offsetNext: bigint): void {
    if (!this.book.open(partition, offsetNext)) return;
    this.member.seek(partition, offsetNext);
    this.member.resume([partition]);
  }

  pause(partition: number): void {
    if (this.book.has(partition)) this.member.pause([partition]);
  }

  resume(partition: number): void {
    // Not before `open`: resuming would fetch from the committed offset.
    if (this.book.nextOf(partition) !== null) this.member.resume([partition]);
  }

  async commitHint(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void> {
    // A partition that is not ours may have moved on: a late hint would turn its lag backwards.
    await this.hints.commit(offsets.filter(({ partition }) => this.book.has(partition)));
  }

  logRange(partition: number): Promise<LogRange> {
    return this.offsets.range(partition);
  }

  committedOffset(partition: number): Promise<bigint | null> {
    return this.offsets.committed(this.groupId, partition);
  }

  async stop(): Promise<void> {
    this.book.assign([]);
    await Promise.all([this.member.stop(), this.offsets.stop()]);
  }

  /** Runs inside the join, before anything of the new assignment is fetched. */
  private onJoined(partitions: readonly number[]): void {
    const { added, kept } = this.book.assign(partitions);
    this.member.pause(added);
    // A generation starts at the committed offsets; kept partitions go on where they were.
    for (const { partition, next } of kept) this.member.seek(partition, next);
    for (const partition of added) {
      if (this.announced.has(partition)) this.regained.add(partition);
    }
  }

  private announce(): void {
    const { assigned } = this.book;
    // Scenario 1: lost and regained within two rebalances that no heartbeat separated. The cell
    // takes a partition that it was told before for open, so it must be told the loss first.
    if (assigned.some((partition) => this.regained.has(partition))) {
      this.handlers?.onAssigned(assigned.filter((partition) => !this.regained.has(partition)));
    }
    this.regained.clear();
    this.announced = new Set(assigned);
    this.handlers?.onAssigned(assigned);
  }

  private onLeft(): void {
    this.book.assign([]);
    this.announced = new Set();
    this.regained.clear();
    this.handlers?.onAssigned([]);
  }

  private async onBatch(batch: FetchedBatch): Promise<void> {
    // Scenario 2: the partition was opened anew (or lost) while this batch was in hand.
    if (this.member.isStopping || batch.isStale()) return;
    const verdict = this.book.judge(batch.partition, batch.fetchedAt);
    if (verdict === 'drop') return;
    if (verdict === 'deliver' || (await this.isOwnGapOfLog(batch, verdict.stray))) {
      this.deliver(batch);
    }
  }

  private deliver(batch: FetchedBatch): void {
    const { partition, records } = batch;
    if (records.length === 0) return;
    // Both positions move before the hand-over, so that an `open` inside it has the last word.
    this.book.advance(partition, batch.lastOffset);
    batch.resolve();
    try {
      this.handlers?.onRecords(partition, records);
    } catch (error) {
      // The records are neither handed over nor can they come again in order: this node is broken.
      this.deps.log.error({ partition, error }, 'the handler of command records threw');
      this.handlers?.onCrashed(error);
    }
  }

  /**
   * A batch came from another offset than the one expected. First answer: ask again for the right
   * one. When the same happens once more, either the log skips offsets by itself (deliver), or the
   * expected offset is no longer (or not yet) in the log: then the partition stops here, because the
   * broker's client has silently gone to the log's start and would skip or repeat records.
   */
  private async isOwnGapOfLog(batch: FetchedBatch, stray: number): Promise<boolean> {
    const { partition, fetchedAt } = batch;
    const next = this.book.nextOf(partition);
    if (next === null) return false;
    if (stray > 1) {
      const range = await this.offsets.range(partition);
      if (this.book.nextOf(partition) !== next) return false;
      if (next < range.startOffset || next > range.endOffset) {
        this.stopOutOfRange(partition, next, range);
        return false;
      }
      if (fetchedAt > next) return true;
    }
    this.member.seek(partition, next);
    return false;
  }

  private stopOutOfRange(partition: number, expected: bigint, range: LogRange): void {
    this.member.pause([partition]);
    this.book.close(partition);
    this.deps.metrics.count('roomcell_kafka_out_of_range_total', { topic: this.topic });
    this.deps.log.error(
      { partition, expected, ...range },
      'the log no longer holds the next offset; the partition stays stopped until opened anew',
    );
    this.handlers?.onOutOfRange(partition, expected, range);
  }
}
