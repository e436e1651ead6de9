/**
 * Which partitions the group gave us and where each of them stands: the positions that count. A
 * broker's client forgets its own at every rebalance and falls back to the committed offsets, which
 * are only a hint here, so this book says what to seek to and which batches may be delivered.
 */

/** Where an opened partition stands. */
interface Cursor {
  /** The offset that the next delivered batch must have been fetched at. */
  next: bigint;
  /** Batches in a row that were fetched at another offset. */
  strays: number;
}

/** What a new assignment changed. */
export interface AssignmentChange {
  /** Not ours before: nothing may be fetched until opened. */
  readonly added: readonly number[];
  /** Ours before and opened: go on at `next`. */
  readonly kept: readonly { readonly partition: number; readonly next: bigint }[];
}

/** `deliver`; `drop` without a trace; `stray`: fetched at another offset than expected. */
export type BatchVerdict = 'deliver' | 'drop' | { readonly stray: number };

/** See the file header. */
export class PartitionBook {
  private readonly cursors = new Map<number, Cursor | null>();

  /** Takes the whole new assignment; partitions missing in it are forgotten at once. */
  assign(partitions: readonly number[]): AssignmentChange {
    const now = new Set(partitions);
    for (const partition of this.cursors.keys()) {
      if (!now.has(partition)) this.cursors.delete(partition);
    }
    const added = [...now].filter((partition) => !this.cursors.has(partition));
    for (const partition of added) this.cursors.set(partition, null);
    const kept: { partition: number; next: bigint }[] = [];
    for (const [partition, cursor] of this.cursors) {
      if (cursor !== null) kept.push({ partition, next: cursor.next });
    }
    return { added, kept };
  }

  /** Assigned now, opened or not. */
  has(partition: number): boolean {
    return this.cursors.has(partition);
  }

  get assigned(): readonly number[] {
    return [...this.cursors.keys()].sort((left, right) => left - right);
  }

  /** False (and no effect) when the partition is not assigned. */
  open(partition: number, next: bigint): boolean {
    if (!this.cursors.has(partition)) return false;
    this.cursors.set(partition, { next, strays: 0 });
    return true;
  }

  /** Back to "assigned, nothing delivered". */
  close(partition: number): void {
    if (this.cursors.has(partition)) this.cursors.set(partition, null);
  }

  /** The offset expected next; null when the partition is lost or not opened. */
  nextOf(partition: number): bigint | null {
    return this.cursors.get(partition)?.next ?? null;
  }

  /**
   * Judges a batch by the offset it was fetched at, not by its records: a log may have gaps of its
   * own, but a batch fetched where nobody asked belongs to an earlier opening of the partition.
   */
  judge(partition: number, fetchedAt: bigint): BatchVerdict {
    const cursor = this.cursors.get(partition);
    if (cursor === undefined || cursor === null) return 'drop';
    if (cursor.next === fetchedAt) return 'deliver';
    cursor.strays += 1;
    return { stray: cursor.strays };
  }

  /** The batch that ends at `lastOffset` is handed over. */
  advance(partition: number, lastOffset: bigint): void {
    this.open(partition, lastOffset + 1n);
  }
}
