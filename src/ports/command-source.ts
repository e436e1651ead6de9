/**
 * The commands topic as the cell reads it: one group, whole partitions, records in offset order.
 *
 * Guarantees: after `onAssigned` nothing of a new partition is delivered until `open` names the
 * offset; records of one partition come in ascending offset order without a gap other than the
 * log's own. Not guaranteed: that a record is delivered once (the reader deduplicates by offset), or
 * that a lost partition is known to be lost in time (the fence in MySQL covers that).
 */

/** One record as read. Texts of headers are UTF-8; a header that occurs twice keeps its last value. */
export interface SourceRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The broker's time of appending (the topic uses LogAppendTime). */
  readonly recordTimeMs: number;
}

/** Where the retained log begins and ends. `endOffset` is the offset the next record will get. */
export interface LogRange {
  readonly startOffset: bigint;
  readonly endOffset: bigint;
}

/** Called by the source; none of them may block or throw. */
export interface CommandSourceHandlers {
  /**
   * The group's whole assignment for this member, after a join *and* a successful heartbeat. A
   * partition missing here is lost; one that was here before and still is stays open.
   */
  onAssigned(partitions: readonly number[]): void;
  /** A batch of one partition. Everything in it counts as handed over when the call returns. */
  onRecords(partition: number, records: readonly SourceRecord[]): void;
  /** The group is rebalancing: the assignment may change. For the log and metrics. */
  onRebalancing(): void;
  /** The consumer died for good; the process must end with a non-zero code. */
  onCrashed(cause: unknown): void;
  /**
   * The next offset of an opened partition is no longer in the log (retention overtook the reader),
   * or not in it any more (the topic was made anew). Nothing more of the partition is delivered
   * until it is opened again: the state GAP or TOPIC_CHANGED of that partition.
   */
  onOutOfRange(partition: number, expectedOffset: bigint, range: LogRange): void;
}

/** One member of the cells' consumer group. */
export interface CommandSource {
  /** Joins the group. Resolves when the client runs; waits for an absent broker. */
  start(handlers: CommandSourceHandlers): Promise<void>;
  /** Starts delivery of an assigned partition at `offsetNext`. Ignored when it was lost meanwhile. */
  open(partition: number, offsetNext: bigint): void;
  /** Stops delivery for a while; a batch already in hand may still come. */
  pause(partition: number): void;
  /** Goes on after the last record handed over. */
  resume(partition: number): void;
  /** Stores the group's offset, as a hint for people and lag tools only. Never throws. */
  commitHint(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void>;
  /** The retained range of a partition. Throws Retry when the broker cannot be reached. */
  logRange(partition: number): Promise<LogRange>;
  /** The group's stored offset, as hints left it; null: none. Throws Retry like `logRange`. */
  committedOffset(partition: number): Promise<bigint | null>;
  /** Leaves the group at once and stops. Idempotent; bounded by the driver's own deadline. */
  stop(): Promise<void>;
}
