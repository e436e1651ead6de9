/**
 * Which partitions may have rows in `partition_settled` at or below their applied offset. Without
 * this memory every transaction would carry a DELETE that nearly always finds nothing. A row that
 * outlives its time is harmless: takeover reads only offsets above the applied one.
 */
import type { FenceStep } from '../../ports/commit-lane.ts';

interface Outstanding {
  readonly epoch: bigint;
  /** Highest offset that has a row; null: none is left. */
  readonly highest: bigint | null;
}

/** See the file header. Belongs to one lane. */
export class SettledRows {
  private readonly byPartition = new Map<number, Outstanding>();

  /** The fences whose partitions need the DELETE in this transaction. */
  toClear(fences: readonly FenceStep[]): readonly FenceStep[] {
    return fences.filter((fence) => {
      const known = this.byPartition.get(fence.partition);
      // A partition new to us may have rows of its former owner: those are looked for once.
      if (known === undefined || known.epoch !== fence.epoch) return true;
      return known.highest !== null && known.highest <= fence.appliedOffset;
    });
  }

  /** Takes note that a transaction with these fences is committed. */
  committed(fences: readonly FenceStep[]): void {
    for (const fence of fences) {
      const known = this.byPartition.get(fence.partition);
      const before = known?.epoch === fence.epoch ? known.highest : null;
      let highest = before !== null && before > fence.appliedOffset ? before : null;
      for (const offset of fence.settledOffsets) {
        if (highest === null || offset > highest) highest = offset;
      }
      this.byPartition.set(fence.partition, { epoch: fence.epoch, highest });
    }
  }
}
