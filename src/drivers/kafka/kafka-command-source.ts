/**
 * The commands topic as the cell reads it, over kafkajs. The handler only hands over and returns, so
 * heartbeats never wait for work; where to go on is decided by the partition book and the cell's
 * `open`, never by the group's committed offsets.
 */
import type { EachBatchPayload } from 'kafkajs';
import type {
  CommandSource,
  CommandSourceHandlers,
  LogRange,
  SourceRecord,
} from '../../ports/command-source.ts';
import { GroupMember } from './group-member.ts';
import { HintCommitter } from './hint-committer.ts';

import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { LogOffsets } from './log-offsets.ts';
import { PartitionBook } from './partition-book.ts';
import { headersOf } from './record-headers.ts';
import { rendezvousAssigner } from './rendezvous-assigner.ts';

/** All times in ms; what is absent has the default that kafka measurements led to. */
export interface KafkaCommandSourceSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly groupId: string;
  /** Stable name of this node (survives restarts): the assignment stands on it. */
  readonly instanceName: string;
  /** Partitions of the topic: so many batches may be handed over at once. */
  readonly partitionCount: number;
  /** Default 10000. */
  readonly sessionTimeoutMs?: number;
  /** Default 15000. */
  readonly rebalanceTimeoutMs?: number;
  /** Default 150. */
  readonly heartbeatIntervalMs?: number;
  /** Default 100. */
  readonly maxWaitMs?: number;
  /** Default 512 KiB. */
  readonly maxBytesPerPartition?: number;
  /** `stop` ends within this, left or not. Default 3000. */
  readonly stopTimeoutMs?: number;
}

/** See the port for the guarantees. */
export class KafkaCommandSource implements CommandSource {
  private readonly deps: KafkaDeps;
  private readonly member: GroupMember;
  private readonly offsets: LogOffsets;
  private readonly hints: HintCommitter;
  private readonly book = new PartitionBook();
  private readonly topic: string;
  private handlers: CommandSourceHandlers | null = null;
  /** What the cell was last told. */
  private announced: ReadonlySet<number> = new Set();
  /** Announced before, lost and regained since: the cell must hear of the loss, too. */
  private readonly regained = new Set<number>();

  constructor(settings: KafkaCommandSourceSettings, deps: KafkaDeps) {
    this.deps = deps;
    this.topic = settings.topic;
    this.offsets = new LogOffsets(settings.kafka, settings.topic, deps);
    this.member = new GroupMember(
      settings.kafka,
      {
        topic: settings.topic,
        groupId: settings.groupId,
        assigner: rendezvousAssigner(settings.instanceName, deps.log),
        sessionTimeoutMs: settings.sessionTimeoutMs ?? 10_000,
        rebalanceTimeoutMs: settings.rebalanceTimeoutMs ?? 15_000,
        heartbeatIntervalMs: settings.heartbeatIntervalMs ?? 150,
        maxWaitMs: settings.maxWaitMs ?? 100,
        maxBytesPerPartition: settings.maxBytesPerPartition ?? 512 * 1024,
        concurrency: settings.partitionCount,
        fromBeginning: true,
        stopTimeoutMs: settings.stopTimeoutMs ?? 3_000,
      },
      {
        onJoined: (partitions) => this.onJoined(partitions),
        onConfirmed: () => this.announce(),
        onRebalancing: () => this.handlers?.onRebalancing(),
        onFetchAnswered: () => undefined,
        onBatch: (payload) => this.onBatch(payload),
        onLeft: () => this.onLeft(),
        onCrashed: (cause) => this.handlers?.onCrashed(cause),
      },
      deps,
    );
    this.hints = new HintCommitter((offsets) => this.member.commit(offsets), settings.topic, deps);
  }

  async start(handlers: CommandSourceHandlers): Promise<void> {
    this.handlers = handlers;
    await this.member.start();
  }

  open(partition: number, offsetNext: bigint): void {
    if (!this.book.open(partition, offsetNext)) return;
    this.member.seek(partition, offsetNext);
    this.member.resume([partition]);
  }

  pause(partition: number): void {
    if (this.book.has(partition)) this.member.pause([partition]);
  }

  resume(partition: number): void {
    // Not before `open`: resuming would fetch from the committed offset.
    if (this.book.nextOf(partition) !== null) this.member.resume([partition]);
  }

  async commitHint(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void> {
    // A partition that is not ours may have moved on: a late hint would turn its lag backwards.
    await this.hints.commit(offsets.filter(({ partition }) => this.book.has(partition)));
  }

  logRange(partition: number): Promise<LogRange> {
    return this.offsets.range(partition);
  }

  async stop(): Promise<void> {
    this.book.assign([]);
    await Promise.all([this.member.stop(), this.offsets.stop()]);
  }

  /** Runs inside kafkajs's join, before it fetches anything of the new assignment. */
  private onJoined(partitions: readonly number[]): void {
    const { added, kept } = this.book.assign(partitions);
    this.member.pause(added);
    // kafkajs starts a generation at the committed offsets; kept partitions go on where they were.
    for (const { partition, next } of kept) this.member.seek(partition, next);
    for (const partition of added) {
      if (this.announced.has(partition)) this.regained.add(partition);
    }
  }

  private announce(): void {
    const { assigned } = this.book;
    // Scenario 1: lost and regained within two rebalances that no heartbeat separated. The cell
    // takes a partition that it was told before for open, so it must be told the loss first.
    if (assigned.some((partition) => this.regained.has(partition))) {
      this.handlers?.onAssigned(assigned.filter((partition) => !this.regained.has(partition)));
    }
    this.regained.clear();
    this.announced = new Set(assigned);
    this.handlers?.onAssigned(assigned);
  }

  private onLeft(): void {
    this.book.assign([]);
    this.announced = new Set();
    this.regained.clear();
    this.handlers?.onAssigned([]);
  }

  private async onBatch(payload: EachBatchPayload): Promise<void> {
    const { partition } = payload.batch;
    // Scenario 2: the partition was opened anew (or lost) while this batch was in hand.
    if (this.member.isStopping || payload.isStale()) return;
    const verdict = this.book.judge(partition, fetchedAtOf(payload));
    if (verdict === 'drop') return;
    if (verdict === 'deliver' || (await this.isOwnGapOfLog(payload, verdict.stray))) {
      this.deliver(payload);
    }
  }

  private deliver(payload: EachBatchPayload): void {
    const { batch } = payload;
    const { partition, messages } = batch;
    const last = messages.at(-1);
    if (last === undefined) return;
    // Both positions move before the hand-over, so that an `open` inside it has the last word.
    this.book.advance(partition, BigInt(batch.lastOffset()));
    payload.resolveOffset(last.offset);
    const records = messages.map((message): SourceRecord => ({
      partition,
      offset: BigInt(message.offset),
      key: message.key,
      value: message.value,
      headers: headersOf(message.headers),
      recordTimeMs: Number(message.timestamp),
    }));
    try {
      this.handlers?.onRecords(partition, records);
    } catch (error) {
      // The records are neither handed over nor can they come again in order: this node is broken.
      this.deps.log.error({ partition, error }, 'the handler of command records threw');
      this.handlers?.onCrashed(error);
    }
  }

  /**
   * A batch came from another offset than the one expected. First answer: ask again for the right
   * one. When the same happens once more, either the log skips offsets by itself (deliver), or the
   * expected offset is no longer (or not yet) in the log: then the partition stops here, because
   * kafkajs has silently gone to the log's start and would skip or repeat records.
   */
  private async isOwnGapOfLog(payload: EachBatchPayload, stray: number): Promise<boolean> {
    const { partition } = payload.batch;
    const next = this.book.nextOf(partition);
    if (next === null) return false;
    if (stray > 1) {
      const range = await this.offsets.range(partition);
      if (this.book.nextOf(partition) !== next) return false;
      if (next < range.startOffset || next > range.endOffset) {
        this.stopOutOfRange(partition, next, range);
        return false;
      }
      if (fetchedAtOf(payload) > next) return true;
    }
    this.member.seek(partition, next);
    return false;
  }

  private stopOutOfRange(partition: number, expected: bigint, range: LogRange): void {
    this.member.pause([partition]);
    this.book.close(partition);
    this.deps.metrics.count('roomcell_kafka_out_of_range_total', { topic: this.topic });
    this.deps.log.error(
      { partition, expected, ...range },
      'the log no longer holds the next offset; the partition stays stopped until opened anew',
    );
    this.handlers?.onOutOfRange(partition, expected, range);
  }
}

/** Makes the cell's source. Nothing is connected before `start`. */
export function createKafkaCommandSource(
  settings: KafkaCommandSourceSettings,
  deps: KafkaDeps,
): CommandSource {
  return new KafkaCommandSource(settings, deps);
}

/** kafkajs's batch knows the offset it was asked for, only its types do not say so. */
function fetchedAtOf({ batch }: EachBatchPayload): bigint {
  return BigInt((batch as typeof batch & { readonly fetchedOffset: string }).fetchedOffset);
}
