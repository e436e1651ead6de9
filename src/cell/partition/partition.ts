/**
 * One takeover of one partition: the epoch under which this node may write it, and the offsets it
 * has settled. The object dies with the ownership; whatever still refers to it asks `active` first
 * and does nothing when it is false.
 */
import { LiveWindow } from '../presence/live-window.ts';
import type { LooseItem } from '../work.ts';
import type { TakenPartition, TriedRecord } from '../../ports/partition-store.ts';
import { OffsetTracker } from './offset-tracker.ts';
import type { LogLook } from './stop-rules.ts';

/** See the file header. */
export class Partition {
  readonly id: number;
  readonly epoch: bigint;
  readonly offsets: OffsetTracker;
  /**
   * The log's end as read after the takeover. A former owner may have asked the wallet for any gift
   * below it, and for none behind it (see `ownership-check.ts`).
   */
  readonly askedBelow: bigint;
  /** What its owner saw when it took it over. */
  readonly look: LogLook;
  /** Records up to here are executed however old they are, and nobody is answered. */
  readonly replayUntil: bigint;
  /**
   * When the record at the applied offset was appended, while it has not been seen again; null: seen,
   * or nothing to see. Another time there means another log under the topic's name.
   */
  unverifiedMs: number | null;
  /** Owners in a row that ended without getting on; see `poison-search.ts`. */
  readonly stalledTakeovers: number;
  /** The record that an owner before this one began by itself. */
  readonly tried: TriedRecord | null;
  /** Since when its intake has been live: time in which nobody was heard makes nobody stale. */
  readonly live = new LiveWindow();
  /** Records that end without a room; committed with the next batch. */
  readonly loose: LooseItem[] = [];
  /** Transactions of this epoch so far: expected by the next fence step. */
  commitSeq = 0n;
  /** Applied offset as last committed; Kafka's hint follows it. */
  persistedOffset: bigint;
  /** Monotonic time of the last commit of this partition's row. */
  persistedAtMonoMs: number;
  hintedOffset: bigint;
  /** The offset that the next record of the log will get, at the last look; null: none yet. */
  endOffset: bigint | null;
  /** Monotonic time at which it last got on. */
  progressAtMonoMs: number;
  /** Delivery is paused at the source, for too many unsettled records here or on the node. */
  paused = false;
  /** It has too many of them itself; see `water-marks.ts`. */
  isFull = false;
  /** Somebody holds the owner row: its work waits until that is cleared up. */
  held = false;
  /** Tries in a row that met a held owner row. */
  busyInARow = 0;
  private alive = true;
  private progressedTo: bigint;

  constructor(taken: TakenPartition, look: LogLook, nowMonoMs: number) {
    const { appliedOffset, settledOffsets, appliedRecordMs } = taken;
    this.id = taken.partition;
    this.epoch = taken.epoch;
    this.offsets = new OffsetTracker(appliedOffset, settledOffsets, appliedRecordMs);
    this.askedBelow = look.range.endOffset;
    this.look = look;
    const isRetained = look.range.startOffset <= appliedOffset;
    this.unverifiedMs = isRetained ? appliedRecordMs : null;
    this.replayUntil = taken.replayUntil;
    this.stalledTakeovers = taken.stalledTakeovers;
    this.tried = taken.tried;
    this.persistedOffset = taken.appliedOffset;
    this.hintedOffset = taken.appliedOffset;
    this.persistedAtMonoMs = nowMonoMs;
    this.progressAtMonoMs = nowMonoMs;
    this.endOffset = look.range.endOffset;
    this.progressedTo = taken.appliedOffset;
  }

  /** False for ever once the partition was lost, fenced or released. */
  get active(): boolean {
    return this.alive;
  }

  /** Ends this ownership in memory. Idempotent. */
  deactivate(): void {
    this.alive = false;
    this.loose.length = 0;
  }

  /** Notes whether it got on since it was asked last. */
  noteProgress(nowMonoMs: number): void {
    const { appliedOffset, openCount } = this.offsets;
    if (appliedOffset === this.progressedTo && openCount > 0) return;
    this.progressedTo = appliedOffset;
    this.progressAtMonoMs = nowMonoMs;
  }

  /** The applied offset moved on and the owner row does not know. */
  get needsFlush(): boolean {
    return this.offsets.appliedOffset > this.persistedOffset;
  }
}
