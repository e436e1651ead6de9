/**
 * Ownership of partitions in MySQL: the epoch row that every commit is fenced by
 * (architecture section 2). Runs on connections of its own, never on the commit lane's.
 */

/** How many partitions the commands topic has and how keys map to them. Only MySQL says so. */
export interface TopicLayout {
  readonly topic: string;
  readonly partitionCount: number;
  readonly hash: 'murmur2';
}

/** The owner row as last committed. */
export interface OwnerRow {
  readonly partition: number;
  readonly epoch: bigint;
  readonly ownerNodeId: string;
  readonly incarnation: string;
  readonly lane: number;
  readonly advertiseAddr: string;
  /** Highest offset such that it and all below are settled; −1n: none. */
  readonly appliedOffset: bigint;
  /** Transactions that the present epoch committed: tells an unknown COMMIT apart. */
  readonly commitSeq: bigint;
  /** The owner gave the partition up in an orderly way. */
  readonly released: boolean;
  /** When the row was last written, by its writer's clock. */
  readonly updatedAtMs: number;
}

/** Who takes over. */
export interface TakeoverRequest {
  readonly partition: number;
  readonly nodeId: string;
  /** Of this process; names the lane's lock together with `lane`. */
  readonly incarnation: string;
  readonly lane: number;
  readonly advertiseAddr: string;
}

/** A record that owners of its partition began by itself, and how often one did. */
export interface TriedRecord {
  readonly offset: bigint;
  readonly tries: number;
}

/** A partition taken over: what its new owner starts from. */
export interface TakenPartition {
  readonly partition: number;
  readonly epoch: bigint;
  readonly appliedOffset: bigint;
  /** Settled offsets above `appliedOffset`: to be skipped, ascending. */
  readonly settledOffsets: readonly bigint[];
  /** The former owner had released it, or there was none to wait for. */
  readonly wasReleased: boolean;
  /**
   * Takeovers, this one included, whose former owner had neither given the partition up nor moved
   * `appliedOffset` since it took over. 0 again as soon as it moved.
   */
  readonly stalledTakeovers: number;
  /** As `noteTry` last wrote it; its offset may be settled by now. */
  readonly tried: TriedRecord | null;
  /** When the record at `appliedOffset` was appended, by the broker; null: not known. */
  readonly appliedRecordMs: number | null;
  /** Kafka's hint is known to be ahead of the database up to here; −1n: it never was. */
  readonly acceptedHint: bigint;
  /** Records up to here are executed however old they are, and nobody is answered; −1n: none. */
  readonly replayUntil: bigint;
}

/** All methods throw a Retry failure when MySQL cannot be reached. */
export interface PartitionStore {
  /**
   * The stored layout of `topic`, or the given one stored now if there is none. Safe when many
   * processes do it at once: they all get the same answer.
   */
  ensureLayout(layout: TopicLayout): Promise<TopicLayout>;
  readOwners(): Promise<readonly OwnerRow[]>;
  readOwner(partition: number): Promise<OwnerRow | null>;
  /**
   * One autocommit UPDATE: epoch + 1, owner, incarnation, lane, address, commitSeq 0. When the row
   * is locked for longer than the session's lock wait, ends the committed owner's lane connection
   * (found by its lock name), once, and tries again. A healthy owner of *other* partitions whose
   * transaction is short is never ended: the row frees itself within the lock wait.
   */
  takeover(request: TakeoverRequest): Promise<TakenPartition>;
  /**
   * Writes down that the record is about to be begun by itself, so that a successor knows if this
   * process does not survive it. The numbers are set and not counted, so doing it twice is doing it
   * once. False when (epoch, incarnation) are no longer in force.
   */
  noteTry(
    partition: number,
    epoch: bigint,
    incarnation: string,
    tried: TriedRecord,
  ): Promise<boolean>;
  /** Marks the partition given up, if (epoch, incarnation) are still in force. */
  release(partition: number, epoch: bigint, incarnation: string): Promise<void>;
}
