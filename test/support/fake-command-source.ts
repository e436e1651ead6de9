/**
 * A commands topic in memory for tests of the cell alone: records keep their offsets, delivery
 * begins where `open` says, a second owner reads the same log. No group: the test assigns.
 */
import type {
  CommandSource,
  CommandSourceHandlers,
  LogRange,
  SourceRecord,
} from '../../src/ports/command-source.ts';

/** The log that several sources (cells) can read. */
export class FakeCommandTopic {
  readonly records = new Map<number, SourceRecord[]>();
  /** The group's stored offsets, as a test sets them. */
  readonly committed = new Map<number, bigint>();
  private readonly readers = new Set<FakeCommandSource>();
  private readonly starts = new Map<number, bigint>();

  /** Appends and delivers to whoever has the partition open. Answers the offset. */
  append(record: Omit<SourceRecord, 'offset' | 'recordTimeMs'>, recordTimeMs: number): bigint {
    const log = this.records.get(record.partition) ?? [];
    this.records.set(record.partition, log);
    const offset = BigInt(log.length);
    log.push({ ...record, offset, recordTimeMs });
    for (const reader of this.readers) reader.deliver(record.partition);
    return offset;
  }

  /** Records below `offset` are gone, as after retention. */
  truncateBelow(partition: number, offset: bigint): void {
    this.starts.set(partition, offset);
  }

  range(partition: number): LogRange {
    const log = this.records.get(partition) ?? [];
    return { startOffset: this.starts.get(partition) ?? 0n, endOffset: BigInt(log.length) };
  }

  attach(reader: FakeCommandSource): void {
    this.readers.add(reader);
  }
}

/** One member's view of the topic. */
export class FakeCommandSource implements CommandSource {
  readonly hints: { readonly partition: number; readonly offsetNext: bigint }[] = [];
  stopped = false;
  private handlers: CommandSourceHandlers | null = null;
  private readonly position = new Map<number, number>();
  private readonly paused = new Set<number>();
  private readonly topic: FakeCommandTopic;

  constructor(topic: FakeCommandTopic) {
    this.topic = topic;
    topic.attach(this);
  }

  start(handlers: CommandSourceHandlers): Promise<void> {
    this.handlers = handlers;
    return Promise.resolve();
  }

  /** The group gives this member these partitions, and no others. */
  assign(partitions: readonly number[]): void {
    for (const id of [...this.position.keys()]) {
      if (!partitions.includes(id)) this.position.delete(id);
    }
    this.handlers?.onAssigned(partitions);
  }

  open(partition: number, offsetNext: bigint): void {
    this.position.set(partition, Number(offsetNext));
    this.deliver(partition);
  }

  pause(partition: number): void {
    this.paused.add(partition);
  }

  resume(partition: number): void {
    this.paused.delete(partition);
    this.deliver(partition);
  }

  /** Hands over everything that is open and not paused, as one batch. */
  deliver(partition: number): void {
    const from = this.position.get(partition);
    if (from === undefined || this.paused.has(partition) || this.stopped) return;
    const batch = (this.topic.records.get(partition) ?? []).slice(from);
    if (batch.length === 0) return;
    this.position.set(partition, from + batch.length);
    queueMicrotask(() => {
      if (this.position.has(partition)) this.handlers?.onRecords(partition, batch);
    });
  }

  /** Delivers records again that were handed over already. */
  redeliver(partition: number, fromOffset: bigint): void {
    this.position.set(partition, Number(fromOffset));
    this.deliver(partition);
  }

  commitHint(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void> {
    this.hints.push(...offsets);
    return Promise.resolve();
  }

  logRange(partition: number): Promise<LogRange> {
    return Promise.resolve(this.topic.range(partition));
  }

  committedOffset(partition: number): Promise<bigint | null> {
    return Promise.resolve(this.topic.committed.get(partition) ?? null);
  }

  /** What the driver reports when it meets the log's edge while running. */
  reportOutOfRange(partition: number, expectedOffset: bigint): void {
    this.handlers?.onOutOfRange(partition, expectedOffset, this.topic.range(partition));
  }

  stop(): Promise<void> {
    this.stopped = true;
    return Promise.resolve();
  }
}
