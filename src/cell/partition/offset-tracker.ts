/**
 * Which offsets of one partition are settled. `appliedOffset` is the highest offset such that it and
 * all below are settled: what the owner row stores and where a successor reads on. Offsets come in
 * ascending order but may have gaps (control records), so the tracker counts what was delivered and
 * never computes `offset + 1`.
 */
import { assert } from '../../kernel/assert.ts';

/** What the owner row stores of it. */
export interface AppliedRecord {
  readonly appliedOffset: bigint;
  readonly appliedRecordMs: number | null;
}

/** See the file header. A tracker lives as long as one takeover of the partition. */
export class OffsetTracker {
  private applied: bigint;
  private appliedMs: number | null;
  private lastDelivered: bigint;
  /** Offsets that a former owner settled above its applied offset. */
  private readonly settledBefore: Set<bigint>;
  /** Delivered offsets in order, when their records were appended, and their sizes; those before `head` are gone. */
  private delivered: bigint[] = [];
  private recordsMs: number[] = [];
  private sizes: number[] = [];
  private bytes = 0;
  private head = 0;
  private readonly settled = new Set<bigint>();

  constructor(
    appliedOffset: bigint,
    settledOffsets: readonly bigint[],
    appliedRecordMs: number | null = null,
  ) {
    this.applied = appliedOffset;
    this.appliedMs = appliedRecordMs;
    this.lastDelivered = appliedOffset;
    this.settledBefore = new Set(settledOffsets);
  }

  get appliedOffset(): bigint {
    return this.applied;
  }

  /** Bytes of the records delivered and not passed yet. */
  get openBytes(): number {
    return this.bytes;
  }

  /** Highest offset that was delivered, or applied by a former owner. */
  get deliveredOffset(): bigint {
    return this.lastDelivered;
  }

  /** Delivered and not passed by the applied offset yet. */
  get openCount(): number {
    return this.delivered.length - this.head;
  }

  /**
   * Notes that `offset` arrived, appended at `recordMs`. False: it is a redelivery, or a former owner settled it; the
   * caller must not execute it, yet it counts as progress (FluidFramework's lesson, A1).
   */
  deliver(offset: bigint, recordMs: number, bytes: number): boolean {
    if (offset <= this.lastDelivered) return false;
    this.lastDelivered = offset;
    this.delivered.push(offset);
    this.recordsMs.push(recordMs);
    this.sizes.push(bytes);
    this.bytes += bytes;
    if (!this.settledBefore.delete(offset)) return true;
    this.settle([offset]);
    return false;
  }

  /** Marks delivered offsets as settled and lets the applied offset pass them. */
  settle(offsets: Iterable<bigint>): void {
    for (const offset of offsets) {
      assert(offset > this.applied, 'an offset is settled twice', { offset });
      this.settled.add(offset);
    }
    for (;;) {
      const next = this.delivered[this.head];
      if (next === undefined || !this.settled.delete(next)) break;
      assert(next > this.applied, 'the applied offset never moves back', { next });
      this.applied = next;
      this.appliedMs = this.recordsMs[this.head] ?? null;
      this.bytes -= this.sizes[this.head] ?? 0;
      this.head += 1;
    }
    this.compact();
  }

  /**
   * What would be applied if `offsets` were settled too, and when the record there was appended (null:
   * not known); changes nothing.
   */
  appliedWith(offsets: ReadonlySet<bigint>): AppliedRecord {
    let applied = { appliedOffset: this.applied, appliedRecordMs: this.appliedMs };
    for (let at = this.head; at < this.delivered.length; at += 1) {
      const next = this.delivered[at];
      if (next === undefined || !(this.settled.has(next) || offsets.has(next))) break;
      applied = { appliedOffset: next, appliedRecordMs: this.recordsMs[at] ?? null };
    }
    return applied;
  }

  private compact(): void {
    if (this.head < 1024 || this.head * 2 < this.delivered.length) return;
    this.delivered = this.delivered.slice(this.head);
    this.recordsMs = this.recordsMs.slice(this.head);
    this.sizes = this.sizes.slice(this.head);
    this.head = 0;
  }
}
