/**
 * Records that wait to be sent, per partition in the order they came. A batch takes from every
 * partition that has none in flight, so that one partition's records are never under way twice.
 */
import type { OutgoingRecord, ProduceOutcome } from '../../ports/command-sink.ts';

/** A record on its way, and how to tell its caller. */
export interface PendingRecord {
  readonly record: OutgoingRecord;
  readonly bytes: number;
  /** Tells the caller once; later calls do nothing. */
  settle(outcome: ProduceOutcome): void;
  readonly settled: boolean;
  /** It went into a send: from then on nobody can promise that it was not written. */
  sent: boolean;
}

/** Most of one batch. */
export interface BatchLimits {
  readonly records: number;
  /** Below the broker's limit for one partition's part of a request. */
  readonly bytes: number;
}

/** See the file header. */
export class ProduceQueue {
  private readonly perPartition = new Map<number, PendingRecord[]>();
  private readonly busy = new Set<number>();
  private records = 0;
  private byteCount = 0;

  get size(): number {
    return this.records;
  }

  get bytes(): number {
    return this.byteCount;
  }

  push(pending: PendingRecord): void {
    const { partition } = pending.record;
    const waiting = this.perPartition.get(partition);
    if (waiting === undefined) this.perPartition.set(partition, [pending]);
    else waiting.push(pending);
    this.records += 1;
    this.byteCount += pending.bytes;
  }

  /**
   * The next batch, its partitions marked as in flight; empty when nothing may go. Records whose
   * caller was answered already are left out, which is what makes that answer true.
   */
  takeBatch(limits: BatchLimits): PendingRecord[] {
    const batch: PendingRecord[] = [];
    let bytes = 0;
    // Over a copy: partitions are taken out and put back at the end, behind the others, so that
    // none is served last for ever.
    for (const [partition, waiting] of [...this.perPartition]) {
      if (this.busy.has(partition)) continue;
      let taken = 0;
      for (const pending of waiting) {
        const isFull = batch.length >= limits.records || bytes + pending.bytes > limits.bytes;
        if (isFull && batch.length > 0) break;
        taken += 1;
        this.records -= 1;
        this.byteCount -= pending.bytes;
        if (pending.settled) continue;
        pending.sent = true;
        batch.push(pending);
        bytes += pending.bytes;
        this.busy.add(partition);
      }
      if (taken === 0) continue;
      this.perPartition.delete(partition);
      if (taken < waiting.length) this.perPartition.set(partition, waiting.slice(taken));
    }
    return batch;
  }

  /** The partitions of a batch are free again. */
  landed(batch: readonly PendingRecord[]): void {
    for (const { record } of batch) this.busy.delete(record.partition);
  }

  /** Takes out everything that still waits. */
  drain(): PendingRecord[] {
    const left = [...this.perPartition.values()].flat();
    this.perPartition.clear();
    this.records = 0;
    this.byteCount = 0;
    return left;
  }
}
