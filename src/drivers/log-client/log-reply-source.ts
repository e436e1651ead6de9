/**
 * One partition of the reply topic, read by the one gateway that holds its slot. The group is made
 * for this process alone, so no other member can ever move the partition, and a predecessor's
 * session never has to run out first.
 */
import { createDeferred } from '../../kernel/deferred.ts';
import type { IncomingReply, ReplySource } from '../../ports/reply-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { readReply } from './log-records.ts';
import type {
  FetchedBatch,
  GroupMemberHandlers,
  GroupMembership,
  LogOffsetReader,
} from './log-transport.ts';

/** Times in ms. */
export interface ReplySourceSettings {
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

/** Makes what a reader of one partition stands on. */
export interface ReplyTransport {
  /** Of a group whose only member gets `partition`. */
  join(partition: number, handlers: GroupMemberHandlers): GroupMembership;
  offsets(): LogOffsetReader;
}

interface ReplyHandlers {
  onReply(reply: IncomingReply): void;
  onLost(cause: unknown): void;
}

const endOffsetRetryMs = 500;

/** See the file header, and the port for the guarantees. */
export class LogReplySource implements ReplySource {
  private readonly transport: ReplyTransport;
  private readonly deps: DriverPorts;
  private readonly stopping = new AbortController();
  private member: GroupMembership | null = null;
  private next = 0n;

  /** Nothing is connected before `start`. */
  constructor(transport: ReplyTransport, deps: DriverPorts) {
    this.transport = transport;
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
  ): GroupMembership {
    let isJoined = false;
    const member: GroupMembership = this.transport.join(partition, {
      onJoined: () => {
        member.seek(partition, this.next);
        isJoined = true;
      },
      onFetchAnswered: () => {
        if (isJoined) onReady();
      },
      onBatch: (batch) => this.onBatch(batch, handlers),
      onConfirmed: () => undefined,
      onRebalancing: () => undefined,
      onLeft: () => undefined,
      onCrashed: (cause) => handlers.onLost(cause),
    });
    return member;
  }

  private onBatch(batch: FetchedBatch, handlers: ReplyHandlers): Promise<void> {
    for (const record of batch.records) {
      // Fetched again after a rejoin: the gateway has had it.
      if (record.offset < this.next) continue;
      this.next = record.offset + 1n;
      const reply = readReply(record);
      if (reply === null) this.deps.metrics.count('roomcell_kafka_replies_unreadable_total');
      else handlers.onReply(reply);
    }
    batch.resolve();
    return Promise.resolve();
  }

  /** Waits for an absent broker; null when `stop` came first. */
  private async readEndOffset(partition: number): Promise<bigint | null> {
    const offsets = this.transport.offsets();
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
