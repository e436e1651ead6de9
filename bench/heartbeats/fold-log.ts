/** What heartbeats leave on the commands topic, read back from it: records, people in them, bytes. */
import { createKafkaCommandSource } from '../../src/drivers/kafka/kafka-command-source.ts';
import type { KafkaDeps, KafkaSettings } from '../../src/drivers/kafka/kafka-settings.ts';
import type { LogRange, SourceRecord } from '../../src/ports/command-source.ts';
import { heartbeatKey } from '../../src/protocol/partition.ts';

/** Folds of a part of the topic. */
export interface FoldLog {
  readonly records: number;
  /** Keys, values and headers, as the producer hands them over. */
  readonly bytes: number;
}

/** Where a part of the topic begins or ends: the next offset by partition. */
export type TopicPlace = ReadonlyMap<number, bigint>;

/** Each waits for seconds. */
const questionsMax = 5;

/** Reads the topic on a group of its own; partitions are settled once it has them all. */
export class FoldReader {
  private readonly source: ReturnType<typeof createKafkaCommandSource>;
  private readonly partitionCount: number;
  private onRecords: (partition: number, records: readonly SourceRecord[]) => void = () =>
    undefined;

  constructor(kafka: KafkaSettings, deps: KafkaDeps, topic: string, partitionCount: number) {
    this.partitionCount = partitionCount;
    this.source = createKafkaCommandSource(
      {
        kafka,
        topic,
        groupId: `bench.folds.${process.pid}`,
        instanceName: 'folds',
        partitionCount,
      },
      deps,
    );
  }

  /** Resolves when all partitions are this reader's. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.source
        .start({
          onAssigned: (partitions) => {
            if (partitions.length === this.partitionCount) resolve();
          },
          onRecords: (partition, records) => this.onRecords(partition, records),
          onRebalancing: () => undefined,
          onOutOfRange: (partition) => reject(new Error(`partition ${partition} is out of range`)),
          onCrashed: (cause) => reject(cause instanceof Error ? cause : new Error(String(cause))),
        })
        .catch(reject);
    });
  }

  /** Where the topic ends now. A machine that is overloaded may need more than one question. */
  async end(): Promise<TopicPlace> {
    const partitions = Array.from({ length: this.partitionCount }, (_, partition) => partition);
    const ranges = await Promise.all(partitions.map((partition) => this.range(partition)));
    return new Map(ranges.map(({ endOffset }, partition) => [partition, endOffset]));
  }

  /** The folds between two places. */
  async between(from: TopicPlace, to: TopicPlace): Promise<FoldLog> {
    let records = 0;
    let bytes = 0;
    const open = new Map([...to].filter(([partition, end]) => end > (from.get(partition) ?? end)));
    if (open.size === 0) return { records, bytes };
    await new Promise<void>((resolve) => {
      this.onRecords = (partition, batch) => {
        const end = open.get(partition);
        if (end === undefined) return;
        for (const record of batch) {
          if (record.offset >= end || !isFold(record)) continue;
          records += 1;
          bytes += sizeOf(record);
        }
        const last = batch.at(-1);
        if (last === undefined || last.offset + 1n < end) return;
        open.delete(partition);
        this.source.pause(partition);
        if (open.size === 0) resolve();
      };
      for (const partition of open.keys()) this.source.open(partition, from.get(partition) ?? 0n);
    });
    return { records, bytes };
  }

  private async range(partition: number): Promise<LogRange> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.source.logRange(partition);
      } catch (error) {
        if (tries === questionsMax) throw error;
      }
    }
  }

  stop(): Promise<void> {
    return this.source.stop();
  }
}

function isFold({ key }: SourceRecord): boolean {
  return key !== null && Buffer.from(key).toString('utf8') === heartbeatKey;
}

function sizeOf({ key, value, headers }: SourceRecord): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, text] of Object.entries(headers)) bytes += name.length + text.length;
  return bytes;
}
