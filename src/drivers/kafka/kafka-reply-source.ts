/**
 * One partition of the reply topic, read by the one gateway that holds its slot. The group is made
 * for this process alone, so no other member can ever move the partition, and a predecessor's
 * session never has to run out first.
 */
import type { EachBatchPayload } from 'kafkajs';
import type { IncomingReply, ReplySource } from '../../ports/reply-source.ts';
import { headerNames } from '../../protocol/topics.ts';
import { createDeferred } from '../../kernel/deferred.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { LogOffsets } from './log-offsets.ts';
import { pinningAssigner } from './pinning-assigner.ts';
import { headersOf } from './record-headers.ts';

/** Times in ms. */
export interface KafkaReplySourceSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  /** Must be new for every process: put the gateway's incarnation into it. */
  readonly groupId: string;
  /** Default 10000. */
  readonly sessionTimeoutMs?: number;
  /** Default 150. */
  readonly heartbeatIntervalMs?: number;
  /** Default 100. */
  readonly maxWaitMs?: number;
  /** Default 1 MiB. */
  readonly maxBytesPerPartition?: number;
  /** Default 2000. */
  readonly stopTimeoutMs?: number;
}

interface ReplyHandlers {
  onReply(reply: IncomingReply): void;
  onLost(cause: unknown): void;
}

const endOffsetRetryMs = 500;

class KafkaReplySource implements ReplySource {
  private readonly settings: KafkaReplySourceSettings;
  private readonly deps: KafkaDeps;
  private readonly stopping = new AbortController();
  private member: GroupMember | null = null;
  private next = 0n;

  constructor(settings: KafkaReplySourceSettings, deps: KafkaDeps) {
    this.settings = settings;
    this.deps = deps;
  }

  async start(partition: number, handlers: ReplyHandlers): Promise<void> {
    const first = await this.readEndOffset(partition);
    if (first === null) return;
    // From here on nothing is missed: whatever is produced later has this offset or a higher one,
    // and the member seeks to it before its first fetch.
    this.next = first;
    const ready = createDeferred<void>();
    const member = this.createMember(partition, handlers, () => ready.resolve());
    this.member = member;
    await member.start();
    this.stopping.signal.addEventListener('abort', () => ready.resolve());
    if (this.stopping.signal.aborted) ready.resolve();
    await ready.promise;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.member?.stop();
  }

  private createMember(
    partition: number,
    handlers: ReplyHandlers,
    onReady: () => void,
  ): GroupMember {
    const { settings } = this;
    let isJoined = false;
    const member: GroupMember = new GroupMember(
      settings.kafka,
      {
        topic: settings.topic,
        groupId: settings.groupId,
        isGroupOfOne: true,
        assigner: pinningAssigner(partition),
        sessionTimeoutMs: settings.sessionTimeoutMs ?? 10_000,
        rebalanceTimeoutMs: 15_000,
        heartbeatIntervalMs: settings.heartbeatIntervalMs ?? 150,
        maxWaitMs: settings.maxWaitMs ?? 100,
        maxBytesPerPartition: settings.maxBytesPerPartition ?? 1024 * 1024,
        concurrency: 1,
        // Replies that retention took before they were read are answered by their callers' time-out.
        fromBeginning: false,
        stopTimeoutMs: settings.stopTimeoutMs ?? 2_000,
      },
      {
        onJoined: () => {
          member.seek(partition, this.next);
          isJoined = true;
        },
        onFetchAnswered: () => {
          if (isJoined) onReady();
        },
        onBatch: (payload) => this.onBatch(payload, handlers),
        onConfirmed: () => undefined,
        onRebalancing: () => undefined,
        onLeft: () => undefined,
        onCrashed: (cause) => handlers.onLost(cause),
      },
      this.deps,
    );
    return member;
  }

  private onBatch(payload: EachBatchPayload, handlers: ReplyHandlers): Promise<void> {
    const { batch } = payload;
    for (const message of batch.messages) {
      const offset = BigInt(message.offset);
      // Fetched again after a rejoin: the gateway has had it.
      if (offset < this.next) continue;
      this.next = offset + 1n;
      const correlationId = headersOf(message.headers)[headerNames.correlationId];
      if (correlationId === undefined || message.value === null) {
        this.deps.metrics.count('roomcell_kafka_replies_unreadable_total');
        continue;
      }
      handlers.onReply({ correlationId, value: message.value });
    }
    const last = batch.messages.at(-1);
    if (last !== undefined) payload.resolveOffset(last.offset);
    return Promise.resolve();
  }

  /** Waits for an absent broker; null when `stop` came first. */
  private async readEndOffset(partition: number): Promise<bigint | null> {
    const offsets = new LogOffsets(this.settings.kafka, this.settings.topic, this.deps);
    try {
      while (!this.stopping.signal.aborted) {
        try {
          return (await offsets.range(partition)).endOffset;
        } catch (error) {
          this.deps.log.debug({ partition, error: String(error) }, 'no end offset yet');
          await this.deps.timers.sleep(endOffsetRetryMs, this.stopping.signal);
        }
      }
      return null;
    } finally {
      await offsets.stop();
    }
  }
}

/** Makes the gateway's source. Nothing is connected before `start`. */
export function createKafkaReplySource(
  settings: KafkaReplySourceSettings,
  deps: KafkaDeps,
): ReplySource {
  return new KafkaReplySource(settings, deps);
}
