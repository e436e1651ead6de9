/**
 * A destination's topic as its adapter reads it. The adapter may take long over a batch, so the batch
 * is taken out of kafkajs's hands: the partition is paused, the handler runs beside the fetch loop
 * (which keeps the membership alive), and the offset moves when the handler has resolved.
 */
import type { EachBatchPayload } from 'kafkajs';
import type { EventSource } from '../../ports/event-source.ts';
import { settleWithin } from '../settle-within.ts';
import { EventWork, sleepBeforeRetryMs } from './event-work.ts';
import type { EventHandler } from './event-work.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { rendezvousAssigner } from './rendezvous-assigner.ts';

/** Times in ms. */
export interface KafkaEventSourceSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly groupId: string;
  /** Stable name of this adapter (survives restarts). */
  readonly instanceName: string;
  /** Batches handed to the handler at once (of different partitions). Default 16. */
  readonly partitionsAtOnce?: number;
  /** Default 10000. */
  readonly sessionTimeoutMs?: number;
  /** Default 15000. */
  readonly rebalanceTimeoutMs?: number;
  /** Default 500. */
  readonly heartbeatIntervalMs?: number;
  /** Default 250. */
  readonly maxWaitMs?: number;
  /** Default 256 KiB. */
  readonly maxBytesPerPartition?: number;
  /** After a rejected batch. Default 1000. */
  readonly retryPauseMs?: number;
  /** `stop` waits so long for batches in hand, then aborts them. Default 5000. */
  readonly drainTimeoutMs?: number;
  /** After the abort, and for leaving. Default 2000. */
  readonly stopTimeoutMs?: number;
}

interface EventHandlers {
  readonly onEvents: EventHandler;
  onCrashed(cause: unknown): void;
}

class KafkaEventSource implements EventSource {
  private readonly settings: KafkaEventSourceSettings;
  private readonly deps: KafkaDeps;
  private readonly member: GroupMember;
  /** Batches in hand, by partition. */
  private readonly working = new Map<number, EventWork>();
  /** Where partitions of the present assignment go on, as far as this member knows. */
  private readonly nextOffsets = new Map<number, bigint>();
  private assigned: ReadonlySet<number> = new Set();
  private handlers: EventHandlers | null = null;
  private isDraining = false;

  constructor(settings: KafkaEventSourceSettings, deps: KafkaDeps) {
    this.settings = settings;
    this.deps = deps;
    this.member = new GroupMember(
      settings.kafka,
      {
        topic: settings.topic,
        groupId: settings.groupId,
        assigner: rendezvousAssigner(settings.instanceName, deps.log),
        sessionTimeoutMs: settings.sessionTimeoutMs ?? 10_000,
        rebalanceTimeoutMs: settings.rebalanceTimeoutMs ?? 15_000,
        heartbeatIntervalMs: settings.heartbeatIntervalMs ?? 500,
        maxWaitMs: settings.maxWaitMs ?? 250,
        maxBytesPerPartition: settings.maxBytesPerPartition ?? 256 * 1024,
        concurrency: settings.partitionsAtOnce ?? 16,
        fromBeginning: true,
        stopTimeoutMs: settings.stopTimeoutMs ?? 2_000,
      },
      {
        onJoined: (partitions) => this.onAssigned(partitions),
        onLeft: () => this.onAssigned([]),
        onBatch: (payload) => this.onBatch(payload),
        onConfirmed: () => undefined,
        onRebalancing: () => undefined,
        onFetchAnswered: () => undefined,
        onCrashed: (cause) => this.handlers?.onCrashed(cause),
      },
      deps,
    );
  }

  async start(handlers: EventHandlers): Promise<void> {
    this.handlers = handlers;
    await this.member.start();
  }

  async stop(): Promise<void> {
    this.isDraining = true;
    this.member.pause([...this.assigned]);
    const { drainTimeoutMs = 5_000, stopTimeoutMs = 2_000 } = this.settings;
    const { timers } = this.deps;
    for (const work of this.working.values()) work.giveUpRetries();
    await settleWithin(timers, this.workDone(), drainTimeoutMs);
    for (const work of this.working.values()) work.abort();
    await settleWithin(timers, this.workDone(), stopTimeoutMs);
    await this.member.stop();
  }

  private onAssigned(partitions: readonly number[]): void {
    this.assigned = new Set(partitions);
    for (const [partition, work] of this.working) {
      // Somebody else may read it by now: what is in hand ends without moving the offset.
      if (!this.assigned.has(partition)) work.abort();
    }
    for (const [partition, next] of this.nextOffsets) {
      if (this.assigned.has(partition)) this.member.seek(partition, next);
      else this.nextOffsets.delete(partition);
    }
    // Scenario 1: lost and given back while the old batch is still in hand: it must end first.
    this.member.pause(partitions.filter((partition) => this.working.has(partition)));
    this.member.resume(partitions.filter((partition) => !this.working.has(partition)));
  }

  private onBatch(payload: EachBatchPayload): Promise<void> {
    const { partition } = payload.batch;
    const isOurs = this.assigned.has(partition) && !this.working.has(partition);
    if (!isOurs || this.isDraining || payload.isStale() || this.handlers === null) {
      return Promise.resolve();
    }
    // The offset is not resolved: should this work be lost, the same batch is fetched again.
    this.member.pause([partition]);
    const { groupId, retryPauseMs = sleepBeforeRetryMs } = this.settings;
    const work = new EventWork(payload.batch, this.handlers.onEvents, this.deps, {
      groupId,
      retryPauseMs,
    });
    this.working.set(partition, work);
    void this.finish(partition, work);
    return Promise.resolve();
  }

  private async finish(partition: number, work: EventWork): Promise<void> {
    const isDone = await work.run();
    this.working.delete(partition);
    if (!this.assigned.has(partition)) return;
    if (isDone) {
      this.nextOffsets.set(partition, work.offsetNext);
      this.member.seek(partition, work.offsetNext);
      await this.commit(partition, work.offsetNext);
    }
    if (!this.isDraining && !this.working.has(partition)) this.member.resume([partition]);
  }

  private async commit(partition: number, offsetNext: bigint): Promise<void> {
    try {
      await this.member.commit([{ partition, offsetNext }]);
    } catch (error) {
      // At least once: the events come again to whoever starts from the older offset.
      this.deps.metrics.count('roomcell_kafka_event_commit_failed_total', {
        group: this.settings.groupId,
      });
      this.deps.log.debug({ partition, error: String(error) }, 'event offset not committed');
    }
  }

  private async workDone(): Promise<void> {
    await Promise.all([...this.working.values()].map((work) => work.ended));
  }
}

/** Makes an adapter's source. Nothing is connected before `start`. */
export function createKafkaEventSource(
  settings: KafkaEventSourceSettings,
  deps: KafkaDeps,
): EventSource {
  return new KafkaEventSource(settings, deps);
}
