/** Memory twin of the partition store. A takeover never waits: no transaction stays open here. */
import type {
  OwnerRow,
  PartitionStore,
  TakenPartition,
  TakeoverRequest,
  TopicLayout,
} from '../../ports/partition-store.ts';
import type { MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemoryPartitionStore implements PartitionStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  ensureLayout(layout: TopicLayout): Promise<TopicLayout> {
    const stored = this.database.layouts.get(layout.topic) ?? layout;
    this.database.layouts.set(layout.topic, stored);
    return Promise.resolve(stored);
  }

  readOwners(): Promise<readonly OwnerRow[]> {
    return Promise.resolve([...this.database.owners.values()].map((row) => ({ ...row })));
  }

  readOwner(partition: number): Promise<OwnerRow | null> {
    const row = this.database.owners.get(partition);
    return Promise.resolve(row === undefined ? null : { ...row });
  }

  takeover(request: TakeoverRequest): Promise<TakenPartition> {
    const { partition, nodeId, incarnation, lane, advertiseAddr } = request;
    const before = this.database.owners.get(partition);
    const appliedOffset = before?.appliedOffset ?? -1n;
    const epoch = (before?.epoch ?? 0n) + 1n;
    this.database.owners.set(partition, {
      partition,
      epoch,
      ownerNodeId: nodeId,
      incarnation,
      lane,
      advertiseAddr,
      appliedOffset,
      commitSeq: 0n,
      released: false,
    });
    return Promise.resolve({
      partition,
      epoch,
      appliedOffset,
      settledOffsets: this.settledAbove(partition, appliedOffset),
      wasReleased: before?.released ?? false,
    });
  }

  release(partition: number, epoch: bigint, incarnation: string): Promise<void> {
    const row = this.database.owners.get(partition);
    if (row?.epoch === epoch && row.incarnation === incarnation) row.released = true;
    return Promise.resolve();
  }

  /** Refused ones have a mark; logged ones are found by the offset in their row. */
  private settledAbove(partition: number, appliedOffset: bigint): readonly bigint[] {
    const marked = [...(this.database.settled.get(partition) ?? [])];
    const logged = [...this.database.log.values()]
      .filter((row) => row.partition === partition && row.kafkaOffset !== null)
      .map((row) => row.kafkaOffset ?? -1n);
    return [...new Set([...marked, ...logged])]
      .filter((offset) => offset > appliedOffset)
      .sort((left, right) => (left < right ? -1 : 1));
  }
}
