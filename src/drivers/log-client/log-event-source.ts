/**
 * A destination's topic as its adapter reads it. The adapter may take long over a batch, so batches are
 * taken out of the member's hands: handlers run beside the fetch loop, which keeps the membership alive,
 * and an offset is stored when they have resolved. A partition with too much in hand is paused.
 */
import type { EventSource } from '../../ports/event-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { settleWithin } from '../settle-within.ts';
import { EventPartition } from './event-partition.ts';
import { sleepBeforeRetryMs, type EventHandler } from './event-work.ts';
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
  /** Of one partition, handed over and not done. Default 256 KiB. */
  readonly bytesInHandMax?: number;
  /** After a rejected batch. Default 1000. */
  readonly retryPauseMs?: number;
  /** `stop` waits so long for batches in hand, then aborts them. Default 5000. */
  readonly drainTimeoutMs?: number;
  /** After the abort, and for leaving. Default 2000. */
  readonly stopTimeoutMs?: number;
}

const defaultBytesInHandMax = 256 * 1024;

interface EventHandlers {
  readonly onEvents: EventHandler;
  onCrashed(cause: unknown): void;
}

/** See the file header, and the port for the guarantees. */
export class LogEventSource implements EventSource {
  private readonly settings: EventSourceSettings;
  private readonly deps: DriverPorts;
  private readonly member: GroupMembership;
  /** Partitions of the present assignment of which something was fetched. */
  private readonly open = new Map<number, EventPartition>();
  /** Partitions that were lost, until what was in hand has ended. */
  private readonly lost = new Map<number, EventPartition[]>();
  private readonly paused = new Set<number>();
  private assigned: ReadonlySet<number> = new Set();
  private handlers: EventHandlers | null = null;
  private isDraining = false;
  private onQuiet: (() => void) | null = null;

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
    for (const partition of this.inHand()) partition.drain();
    await settleWithin(timers, this.workDone(), drainTimeoutMs);
    for (const partition of this.inHand()) partition.abort();
    await settleWithin(timers, this.workDone(), stopTimeoutMs);
    await this.member.stop();
  }

  private onAssigned(partitions: readonly number[]): void {
    this.assigned = new Set(partitions);
    for (const [number, partition] of this.open) {
      const { acceptedUpTo } = partition;
      if (this.assigned.has(number)) {
        // A generation starts at the stored offset; what is in hand stays in hand.
        if (acceptedUpTo !== null) this.member.seek(number, acceptedUpTo);
        continue;
      }
      // Somebody else may read it by now: what is in hand ends without moving the offset.
      partition.abort();
      this.open.delete(number);
      if (partition.isBusy) this.lost.set(number, [...(this.lost.get(number) ?? []), partition]);
    }
    this.paused.clear();
    this.pause(partitions.filter((number) => this.mustWait(number)));
    this.member.resume(partitions.filter((number) => !this.paused.has(number)));
  }

  private pause(numbers: readonly number[]): void {
    for (const number of numbers) this.paused.add(number);
    this.member.pause(numbers);
  }

  /** Scenario 1: lost and given back while old batches are still in hand: they must end first. */
  private mustWait(number: number): boolean {
    return this.lost.has(number) || this.open.get(number)?.isFull === true;
  }

  private onBatch(batch: FetchedBatch): Promise<void> {
    const { partition: number } = batch;
    const { handlers } = this;
    const isOurs = this.assigned.has(number) && !this.mustWait(number);
    if (!isOurs || this.isDraining || batch.isStale() || handlers === null) {
      // Its offset is not resolved: the same batch is fetched again.
      return Promise.resolve();
    }
    const partition = this.open.get(number) ?? this.opened(number, handlers);
    partition.accept(batch);
    batch.resolve();
    if (partition.isFull) this.pause([number]);
    return Promise.resolve();
  }

  private opened(number: number, handlers: EventHandlers): EventPartition {
    const { groupId, retryPauseMs = sleepBeforeRetryMs } = this.settings;
    const { bytesInHandMax = defaultBytesInHandMax } = this.settings;
    const partition: EventPartition = new EventPartition(handlers.onEvents, this.deps, {
      ...{ groupId, retryPauseMs, bytesInHandMax },
      commit: (offsetNext) => this.commit(number, offsetNext, partition),
      onEnded: () => this.onEnded(number),
    });
    this.open.set(number, partition);
    return partition;
  }

  /** Not for a partition that was lost: the group's offset is its new owner's. */
  private async commit(number: number, offsetNext: bigint, by: EventPartition): Promise<void> {
    if (this.open.get(number) !== by) return;
    try {
      await this.member.commit([{ partition: number, offsetNext }]);
    } catch (error) {
      // At least once: the events come again to whoever starts from the older offset.
      this.deps.metrics.count('roomcell_kafka_event_commit_failed_total', {
        group: this.settings.groupId,
      });
      const fields = { partition: number, error: String(error) };
      this.deps.log.debug(fields, 'event offset not committed');
    }
  }

  private onEnded(number: number): void {
    const busy = (this.lost.get(number) ?? []).filter((partition) => partition.isBusy);
    if (busy.length > 0) this.lost.set(number, busy);
    else this.lost.delete(number);
    if (this.paused.has(number) && !this.mustWait(number) && !this.isDraining) {
      this.paused.delete(number);
      if (this.assigned.has(number)) this.member.resume([number]);
    }
    if (!this.inHand().some((partition) => partition.isBusy)) this.onQuiet?.();
  }

  private inHand(): readonly EventPartition[] {
    return [...this.open.values(), ...[...this.lost.values()].flat()];
  }

  /** With the offsets stored: a member that leaves earlier would have its last batch come again. */
  private async workDone(): Promise<void> {
    if (!this.inHand().some((partition) => partition.isBusy)) return;
    await new Promise<void>((resolve) => (this.onQuiet = resolve));
  }
}
