/**
 * A destination's topic as its adapter reads it. The adapter may take long over a batch, so the batch
 * is taken out of the member's hands: the partition is paused, the handler runs beside the fetch loop
 * (which keeps the membership alive), and the offset moves when the handler has resolved.
 */
import type { EventSource } from '../../ports/event-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { settleWithin } from '../settle-within.ts';
import { EventWork, sleepBeforeRetryMs } from './event-work.ts';
import type { EventHandler } from './event-work.ts';
import type { FetchedBatch, GroupMembership, JoinGroup } from './log-transport.ts';

/** Times in ms. */
export interface EventSourceSettings {
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

/** See the file header, and the port for the guarantees. */
export class LogEventSource implements EventSource {
  private readonly settings: EventSourceSettings;
  private readonly deps: DriverPorts;
  private readonly member: GroupMembership;
  /** Batches in hand, by partition. */
  private readonly working = new Map<number, EventWork>();
  /** Work that is under way up to the commit of its offset. */
  private readonly endings = new Set<Promise<void>>();
  /** Where partitions of the present assignment go on, as far as this member knows. */
  private readonly nextOffsets = new Map<number, bigint>();
  private assigned: ReadonlySet<number> = new Set();
  private handlers: EventHandlers | null = null;
  private isDraining = false;

  /** Nothing is connected before `start`. */
  constructor(settings: EventSourceSettings, join: JoinGroup, deps: DriverPorts) {
    this.settings = settings;
    this.deps = deps;
    this.member = join({
      onJoined: (partitions) => this.onAssigned(partitions),
      onLeft: () => this.onAssigned([]),
      onBatch: (batch) => this.onBatch(batch),
      onConfirmed: () => undefined,
      onRebalancing: () => undefined,
      onFetchAnswered: () => undefined,
      onCrashed: (cause) => this.handlers?.onCrashed(cause),
    });
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

  private onBatch(batch: FetchedBatch): Promise<void> {
    const { partition } = batch;
    const isOurs = this.assigned.has(partition) && !this.working.has(partition);
    if (!isOurs || this.isDraining || batch.isStale() || this.handlers === null) {
      return Promise.resolve();
    }
    // The offset is not resolved: should this work be lost, the same batch is fetched again.
    this.member.pause([partition]);
    const { groupId, retryPauseMs = sleepBeforeRetryMs } = this.settings;
    const work = new EventWork(batch, this.handlers.onEvents, this.deps, {
      groupId,
      retryPauseMs,
    });
    this.working.set(partition, work);
    const ending = this.finish(partition, work).finally(() => this.endings.delete(ending));
    this.endings.add(ending);
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

  /** With the offsets stored: a member that leaves earlier would have its last batch come again. */
  private async workDone(): Promise<void> {
    await Promise.all(this.endings);
  }
}
