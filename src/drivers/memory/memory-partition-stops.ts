/** Memory twin of the partitions that stand still. */
import type {
  PartitionStop,
  PartitionStops,
  StopOwner,
  StopResolution,
  StoppedPartition,
} from '../../ports/partition-stops.ts';
import { put, remove, type MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemoryPartitionStops implements PartitionStops {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  note(
    found: PartitionStop & StopOwner & { readonly ownerNodeId: string },
    nowMs: number,
  ): Promise<boolean> {
    const { server, owners, stops } = this.database;
    return server.call('partitions', 'noting a partition that stands still', 'write', () => {
      const { incarnation, ...stop } = found;
      const owner = owners.get(stop.partition);
      if (owner?.epoch !== stop.epoch || owner.incarnation !== incarnation) return false;
      const before = stops.get(stop.partition);
      const isSame = before?.state === stop.state && before.expectedOffset === stop.expectedOffset;
      const acceptance = isSame ? before.acceptance : null;
      const row = { ...stop, stoppedAtMs: nowMs, acceptance };
      this.database.commit([put(stops, stop.partition, row)]);
      return true;
    });
  }

  read(): Promise<readonly StoppedPartition[]> {
    const { server, stops } = this.database;
    return server.call('partitions', 'reading the partitions that stand still', 'read', () =>
      [...stops.values()].sort((one, other) => one.partition - other.partition),
    );
  }

  resolve(owner: StopOwner, how: StopResolution, nowMs: number): Promise<boolean> {
    const { server, owners, settled, stops } = this.database;
    const { partition, epoch, incarnation } = owner;
    return server.call('partitions', 'going on after a stop', 'write', () => {
      const row = owners.get(partition);
      if (row?.epoch !== epoch || row.incarnation !== incarnation) return false;
      const { appliedOffset, acceptedHint, replayUntil } = how;
      const offsetsSinceEpoch = how.isRenumbered ? epoch : row.offsetsSinceEpoch;
      const above = [...(settled.get(partition) ?? [])].filter(
        (offset) => !how.isRenumbered && offset > appliedOffset,
      );
      this.database.commit([
        put(owners, partition, {
          ...row,
          ...{ appliedOffset, acceptedHint, replayUntil, offsetsSinceEpoch },
          appliedRecordMs: null,
          commitSeq: row.commitSeq + 1n,
          updatedAtMs: nowMs,
        }),
        put(settled, partition, new Set(above)),
        remove(stops, partition),
      ]);
      return true;
    });
  }

  clear({ partition, epoch }: StopOwner): Promise<void> {
    const { server, stops } = this.database;
    return server.call('partitions', 'taking the note of a stop away', 'write', () => {
      const row = stops.get(partition);
      if (row !== undefined && row.epoch <= epoch) this.database.commit([remove(stops, partition)]);
    });
  }
}
