/** Topics of the memory broker: partitions with offsets, and readers that wait for records. */
import { assert } from '../../kernel/assert.ts';
import type { LogRange, SourceRecord } from '../../ports/command-source.ts';
import type { LogMessage } from '../log-client/log-transport.ts';

/** Whose clock a record's time is. */
export type TimestampType = 'LogAppendTime' | 'CreateTime';

/** What a record weighs beside its key and value, roughly: objects, offset, headers. */
const recordOverheadBytes = 500;

/** One partition: records in ascending offsets, not always without gaps. */
export class MemoryPartition {
  readonly id: number;
  private readonly retentionBytes: number;
  private readonly records: SourceRecord[] = [];
  private keptBytes = 0;
  private startOffset = 0n;
  private endOffset = 0n;

  /** A partition heavier than `retentionBytes` drops its oldest records, down to half of it. */
  constructor(id: number, retentionBytes: number) {
    this.id = id;
    this.retentionBytes = retentionBytes;
  }

  range(): LogRange {
    return { startOffset: this.startOffset, endOffset: this.endOffset };
  }

  /** Answers the record's offset. The bytes are copied: a log keeps what was sent. */
  append({ key, value, headers }: LogMessage, recordTimeMs: number): bigint {
    const offset = this.endOffset;
    const record: SourceRecord = {
      partition: this.id,
      offset,
      key: key === null ? null : Buffer.from(key),
      value: Buffer.from(value),
      headers: { ...headers },
      recordTimeMs,
    };
    this.records.push(record);
    this.keptBytes += weightOf(record);
    this.endOffset += 1n;
    if (this.keptBytes > this.retentionBytes) this.retain(this.retentionBytes / 2);
    return offset;
  }

  /** The next `count` offsets will never hold a record, as behind a compaction. */
  skipOffsets(count: number): void {
    this.endOffset += BigInt(count);
  }

  /** Retention, or an operator, has deleted everything below. Moves forward only. */
  moveStart(offset: bigint): void {
    assert(offset <= this.endOffset, 'a log cannot begin behind its end', { offset });
    if (offset <= this.startOffset) return;
    this.startOffset = offset;
    const dropped = this.records.splice(0, this.indexOf(offset));
    for (const record of dropped) this.keptBytes -= weightOf(record);
  }

  /** From `from` on at least one record (if there is one), then as many as fit into `bytesMax`. */
  read(from: bigint, bytesMax: number): readonly SourceRecord[] {
    const taken: SourceRecord[] = [];
    let bytes = 0;
    for (let at = this.indexOf(from); at < this.records.length; at += 1) {
      const record = this.records[at] as SourceRecord;
      bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0);
      if (taken.length > 0 && bytes > bytesMax) break;
      taken.push(record);
    }
    return taken;
  }

  /** The newest record always stays, whatever it weighs. */
  private retain(bytesMax: number): void {
    let bytes = this.keptBytes;
    let first = 0;
    while (bytes > bytesMax && first < this.records.length - 1) {
      bytes -= weightOf(this.records[first] as SourceRecord);
      first += 1;
    }
    this.moveStart(this.records[first]?.offset ?? this.startOffset);
  }

  /** Of the first record at or above `offset`. */
  private indexOf(offset: bigint): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.records[middle] as SourceRecord).offset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function weightOf({ key, value }: SourceRecord): number {
  return recordOverheadBytes + (key?.length ?? 0) + (value?.length ?? 0);
}

/** See the file header. */
export class MemoryTopic {
  readonly name: string;
  readonly timestampType: TimestampType;
  readonly partitions: readonly MemoryPartition[];
  private readonly waiting = new Set<() => void>();

  constructor(
    name: string,
    partitionCount: number,
    timestampType: TimestampType,
    retentionBytes: number,
  ) {
    this.name = name;
    this.timestampType = timestampType;
    this.partitions = Array.from(
      { length: partitionCount },
      (_, id) => new MemoryPartition(id, retentionBytes),
    );
  }

  /** Throws when the topic has no such partition. */
  partition(id: number): MemoryPartition {
    const partition = this.partitions[id];
    assert(partition !== undefined, 'the topic has this partition', { topic: this.name, id });
    return partition;
  }

  /** Calls `run` at the next append; answers how to give up. */
  onceAppended(run: () => void): () => void {
    this.waiting.add(run);
    return () => this.waiting.delete(run);
  }

  /** Tells everybody who waits for records, or for the end of the topic. */
  wake(): void {
    const woken = [...this.waiting];
    this.waiting.clear();
    for (const run of woken) run();
  }
}
