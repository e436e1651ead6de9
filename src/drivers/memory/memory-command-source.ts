/**
 * Memory twin of the commands topic as the cell reads it, with two faults that the real driver keeps
 * from the cell and the port does not rule out: a batch that comes late, and records that come again.
 */
import type {
  CommandSource,
  CommandSourceHandlers,
  LogRange,
  SourceRecord,
} from '../../ports/command-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogCommandSource } from '../log-client/log-command-source.ts';
import type { CommandSourceSettings } from '../log-client/log-command-source.ts';
import { commandMembership } from '../log-client/membership-settings.ts';
import type { MemoryBroker } from './memory-broker.ts';
import { MemoryGroupMember } from './memory-group-member.ts';
import { MemoryOffsets } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export type MemoryCommandSourceSettings = CommandSourceSettings & MemoryClientSettings;

/** What stays in hand of one partition, and until when. */
interface LateRecords {
  readonly after: 'pause' | 'loss';
  readonly batches: (readonly SourceRecord[])[];
}

class MemoryCommandSource implements CommandSource {
  private readonly inner: CommandSource;
  private readonly broker: MemoryBroker;
  private readonly client: string;
  private readonly topic: string;
  private readonly late = new Map<number, LateRecords>();
  private handlers: CommandSourceHandlers | null = null;
  private isStopped = false;

  constructor(settings: MemoryCommandSourceSettings, inner: CommandSource) {
    this.inner = inner;
    this.broker = settings.broker;
    this.client = settings.client;
    this.topic = settings.topic;
  }

  async start(handlers: CommandSourceHandlers): Promise<void> {
    this.handlers = handlers;
    await this.inner.start({
      onAssigned: (partitions) => {
        handlers.onAssigned(partitions);
        for (const [partition, { after }] of this.late) {
          if (after === 'loss' && !partitions.includes(partition)) this.handOverLate(partition);
        }
      },
      onRecords: (partition, records) => this.onRecords(partition, records),
      onRebalancing: () => handlers.onRebalancing(),
      onCrashed: (cause) => handlers.onCrashed(cause),
      onOutOfRange: (...gap) => handlers.onOutOfRange(...gap),
    });
  }

  open(partition: number, offsetNext: bigint): void {
    this.late.delete(partition);
    this.inner.open(partition, offsetNext);
  }

  pause(partition: number): void {
    this.inner.pause(partition);
    // Behind the call: nobody is handed records out of their own `pause`.
    if (this.late.get(partition)?.after === 'pause') {
      queueMicrotask(() => this.handOverLate(partition));
    }
  }

  resume(partition: number): void {
    this.inner.resume(partition);
  }

  commitHint(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void> {
    return this.inner.commitHint(offsets);
  }

  logRange(partition: number): Promise<LogRange> {
    return this.inner.logRange(partition);
  }

  committedOffset(partition: number): Promise<bigint | null> {
    return this.inner.committedOffset(partition);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.inner.stop();
  }

  private onRecords(partition: number, records: readonly SourceRecord[]): void {
    const { faults } = this.broker;
    const isOurs = (fault: { readonly client: string; readonly partition: number }): boolean =>
      fault.client === this.client && fault.partition === partition;
    const lateness = faults.take(['lateBatch'], isOurs);
    if (lateness !== null) this.late.set(partition, { after: lateness.after, batches: [] });
    const waiting = this.late.get(partition);
    if (waiting !== undefined) {
      // One batch in hand holds up those behind it.
      waiting.batches.push(records);
      return;
    }
    const again = faults.take(['redelivery'], isOurs);
    if (again !== null) this.handOverAgain(partition, again.fromOffset, records);
    this.handlers?.onRecords(partition, records);
  }

  /** Never more than was handed over already: a repeat that ran ahead would be a gap. */
  private handOverAgain(
    partition: number,
    fromOffset: bigint,
    records: readonly SourceRecord[],
  ): void {
    const next = records[0]?.offset ?? fromOffset;
    const stored = this.broker
      .topic(this.topic)
      .partition(partition)
      .read(fromOffset, Number.MAX_SAFE_INTEGER);
    const repeated = stored.filter(({ offset }) => offset < next);
    if (repeated.length > 0) this.handlers?.onRecords(partition, repeated);
  }

  private handOverLate(partition: number): void {
    const batches = this.late.get(partition)?.batches ?? [];
    this.late.delete(partition);
    if (this.isStopped) return;
    for (const records of batches) this.handlers?.onRecords(partition, records);
  }
}

/** Makes the cell's source. Nothing is asked before `start`. */
export function createMemoryCommandSource(
  settings: MemoryCommandSourceSettings,
  ports: DriverPorts,
): CommandSource {
  const { broker, client, topic, instanceName } = settings;
  const membership = { ...commandMembership(settings), broker, client, instanceName };
  const inner = new LogCommandSource(
    settings,
    {
      join: (handlers) =>
        new MemoryGroupMember({ ...membership, pinnedPartition: null }, handlers, ports),
      offsets: new MemoryOffsets(settings, topic),
    },
    ports,
  );
  return new MemoryCommandSource(settings, inner);
}
