/**
 * What the drivers of the log ask of a broker's client. Queues, positions and outcomes are the same
 * over every broker and live beside this file; the client library (or the memory broker) implements
 * these four interfaces and nothing else, so that a simulation runs the code that production runs.
 */
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { LogRange, SourceRecord } from '../../ports/command-source.ts';

/** A record to append. */
export interface LogMessage {
  /** Null: the broker's client chooses by the murmur2 hash of the key. */
  readonly partition: number | null;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `stored`: all of a send's records, and the offset of the first one of each partition; a partition
 * that the topic lacks is missing there, its records were not sent. `notSent`: none of them for
 * sure. `unknown`: nothing certain.
 */
export type SendOutcome =
  | { readonly kind: 'stored'; readonly firstOffsets: ReadonlyMap<number, bigint> }
  | { readonly kind: 'notSent'; readonly cause: string }
  | UnknownOutcome;

/** Appends to one topic. */
export interface LogProducer {
  /** Resolves when a broker answered, or when `stop` came first. */
  start(): Promise<void>;
  /** Sends once. Never rejects. Records of one partition keep their order within a send only. */
  send(messages: readonly LogMessage[]): Promise<SendOutcome>;
  /** Closes the connections; what is in flight ends as unknown. Idempotent. */
  stop(): Promise<void>;
}

/** Asks where the log of a partition begins and ends. */
export interface LogOffsetReader {
  /** The retained range, as it was after this call began. Throws Retry when nobody answers. */
  range(partition: number): Promise<LogRange>;
  /** The stored offset of `groupId`; null: none. Throws Retry when nobody answers. */
  committed(groupId: string, partition: number): Promise<bigint | null>;
  stop(): Promise<void>;
}

/** Records of one partition in the hands of a member. */
export interface FetchedBatch {
  readonly partition: number;
  /** The offset that was asked for. */
  readonly fetchedAt: bigint;
  /** At or above the last record's offset: a log may end in offsets that hold no record. */
  readonly lastOffset: bigint;
  readonly records: readonly SourceRecord[];
  /** The position was moved, or the assignment is another, since this batch was fetched. */
  isStale(): boolean;
  /** The next fetch goes on behind the last record. */
  resolve(): void;
}

/** One member of a consumer group that reads one topic. */
export interface GroupMembership {
  /** Resolves when the member runs, or when `stop` came first. Waits for broker and topic. */
  start(): Promise<void>;
  readonly isStopping: boolean;
  /** Takes effect before the next fetch. */
  seek(partition: number, offset: bigint): void;
  pause(partitions: readonly number[]): void;
  resume(partitions: readonly number[]): void;
  /** Stores group offsets. Rejects when the group does not take them. May wait for the broker. */
  commit(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void>;
  /** Leaves the group and closes everything; ends within the deadline. Idempotent. */
  stop(): Promise<void>;
}

/** Called by the member. None may throw; `onJoined` must do its work before it returns. */
export interface GroupMemberHandlers {
  /** Joined with these partitions; nothing of this assignment is fetched before it returns. */
  onJoined(partitions: readonly number[]): void;
  /** The first heartbeat after a join succeeded: the assignment stands. */
  onConfirmed(): void;
  onRebalancing(): void;
  /** A broker answered a fetch. */
  onFetchAnswered(): void;
  onBatch(batch: FetchedBatch): Promise<void>;
  /** Not a member any more; a new one is on its way. */
  onLeft(cause: unknown): void;
  /** Ended for good. */
  onCrashed(cause: unknown): void;
}

/** Makes the member of a driver, which is what the member calls back. */
export type JoinGroup = (handlers: GroupMemberHandlers) => GroupMembership;
