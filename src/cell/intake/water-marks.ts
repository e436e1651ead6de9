/**
 * Back-pressure: how much of the log may be in this node's memory. A partition with too many unsettled
 * records is paused at the source until the lane has worked it down, and so are all of them while the
 * node holds too many bytes. What was handed over is never dropped; what was not stays in the topic,
 * where its callers' deadlines run on: they are answered EXPIRED, or in time by a node with room.
 *
 * The bound is one on what is asked for: batches that were on their way when it was reached still
 * come, one a partition.
 */
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';

/** A full node takes records again when it holds this part of what it may. */
const goOnShare = 0.5;

/** See the file header. */
export class WaterMarks {
  private readonly context: CellContext;
  private readonly partitions: () => IterableIterator<Partition>;
  private isNodeFull = false;

  /** `partitions`: those that are ours. */
  constructor(context: CellContext, partitions: () => IterableIterator<Partition>) {
    this.context = context;
    this.partitions = partitions;
  }

  /** Pauses or resumes by what is unsettled; told whenever that of a partition changed. */
  check(partition: Partition): void {
    const before = this.isNodeFull;
    this.isNodeFull = this.judgeNode();
    if (this.isNodeFull === before) {
      this.set(partition);
      return;
    }
    if (this.isNodeFull) {
      const { metrics, log, options } = this.context;
      metrics.count('cell_intake_full_total');
      log.warn({ limitBytes: options.intakeBytesMax }, 'the intake is full: nothing more is taken');
    }
    for (const owned of this.partitions()) this.set(owned);
  }

  private judgeNode(): boolean {
    const { metrics, options } = this.context;
    let bytes = 0;
    for (const { offsets } of this.partitions()) bytes += offsets.openBytes;
    metrics.gauge('cell_intake_bytes', bytes);
    const { intakeBytesMax } = options;
    return this.isNodeFull ? bytes > intakeBytesMax * goOnShare : bytes >= intakeBytesMax;
  }

  private set(partition: Partition): void {
    if (!partition.active) return;
    const mustPause = this.isNodeFull || this.isFull(partition);
    if (mustPause === partition.paused) return;
    partition.paused = mustPause;
    const { source } = this.context;
    if (mustPause) source.pause(partition.id);
    else source.resume(partition.id);
  }

  private isFull(partition: Partition): boolean {
    const { partitionHighWater, partitionLowWater } = this.context.options;
    const open = partition.offsets.openCount;
    // Paused by the node alone, it goes on as soon as the node does, unless it is full by then.
    partition.isFull = partition.isFull ? open > partitionLowWater : open >= partitionHighWater;
    return partition.isFull;
  }
}
