/**
 * The display topic as the IM adapter reads it. No offset is ever stored: a member begins at the end of
 * each partition that it is given, and goes on where it was when it keeps one over a rebalance.
 */
import type { DisplaySource, IncomingDisplay } from '../../ports/display-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { readDisplay } from './log-records.ts';
import type { FetchedBatch, GroupMembership, JoinGroup } from './log-transport.ts';

/** Times in ms. */
export interface DisplaySourceSettings {
  readonly topic: string;
  readonly groupId: string;
  /** Stable name of this adapter (survives restarts). */
  readonly instanceName: string;
  /** Default 10000. */
  readonly sessionTimeoutMs?: number;
  /** Default 15000. */
  readonly rebalanceTimeoutMs?: number;
  /** Default 500. */
  readonly heartbeatIntervalMs?: number;
  /** Default 100. */
  readonly maxWaitMs?: number;
  /** Default 256 KiB. */
  readonly maxBytesPerPartition?: number;
  /** Default 2000. */
  readonly stopTimeoutMs?: number;
}

type Handlers = Parameters<DisplaySource['start']>[0];

/** See the file header, and the port for the guarantees. */
export class LogDisplaySource implements DisplaySource {
  private readonly deps: DriverPorts;
  private readonly member: GroupMembership;
  /** Where kept partitions go on. */
  private readonly nextOffsets = new Map<number, bigint>();
  private handlers: Handlers | null = null;

  /** Nothing is connected before `start`. */
  constructor(join: JoinGroup, deps: DriverPorts) {
    this.deps = deps;
    this.member = join({
      onJoined: (partitions) => this.onJoined(new Set(partitions)),
      onLeft: () => this.nextOffsets.clear(),
      onBatch: (batch) => this.onBatch(batch),
      onConfirmed: () => undefined,
      onRebalancing: () => undefined,
      onFetchAnswered: () => undefined,
      onCrashed: (cause) => this.handlers?.onCrashed(cause),
    });
  }

  async start(handlers: Handlers): Promise<void> {
    this.handlers = handlers;
    await this.member.start();
  }

  stop(): Promise<void> {
    this.handlers = null;
    return this.member.stop();
  }

  private onJoined(partitions: ReadonlySet<number>): void {
    for (const [partition, next] of this.nextOffsets) {
      if (partitions.has(partition)) this.member.seek(partition, next);
      else this.nextOffsets.delete(partition);
    }
  }

  private onBatch(batch: FetchedBatch): Promise<void> {
    if (batch.isStale() || this.handlers === null) return Promise.resolve();
    const displays: IncomingDisplay[] = [];
    for (const record of batch.records) {
      const display = readDisplay(record);
      if (display === null) this.deps.metrics.count('roomcell_kafka_displays_unreadable_total');
      else displays.push(display);
    }
    this.nextOffsets.set(batch.partition, batch.lastOffset + 1n);
    batch.resolve();
    if (displays.length > 0) this.handlers.onDisplays(displays);
    return Promise.resolve();
  }
}
