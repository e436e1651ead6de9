/** Topics of the memory broker: partitions with offsets, and readers that wait for records. */
import { assert } from '../../kernel/assert.ts';
import type { LogRange, SourceRecord } from '../../ports/command-source.ts';
import type { LogMessage } from '../log-client/log-transport.ts';

/** Whose clock a record's time is. */
export type TimestampType = 'LogAppendTime' | 'CreateTime';

/** One partition: records in ascending offsets, not always without gaps. */
export class MemoryPartition {
  readonly id: number;
  private readonly records: SourceRecord[] = [];
  private startOffset = 0n;
  private endOffset = 0n;

  constructor(id: number) {
    this.id = id;
  }

  range(): LogRange {
    return { startOffset: this.startOffset, endOffset: this.endOffset };
  }

  /** Answers the record's offset. The bytes are copied: a log keeps what was sent. */
  append({ key, value, headers }: LogMessage, recordTimeMs: number): bigint {
    const offset = this.endOffset;
    this.records.push({
      partition: this.id,
      offset,
      key: key === null ? null : Buffer.from(key),
      value: Buffer.from(value),
      headers: { ...headers },
      recordTimeMs,
    });
    this.endOffset += 1n;
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
    while ((this.records[0]?.offset ?? offset) < offset) this.records.shift();
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

/** See the file header. */
export class MemoryTopic {
  readonly name: string;
  readonly timestampType: TimestampType;
  readonly partitions: readonly MemoryPartition[];
  private readonly waiting = new Set<() => void>();

  constructor(name: string, partitionCount: number, timestampType: TimestampType) {
    this.name = name;
    this.timestampType = timestampType;
    this.partitions = Array.from({ length: partitionCount }, (_, id) => new MemoryPartition(id));
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
