/**
 * Memory twin of the partition store. A takeover waits for the row like the real one: behind an open
 * transaction of the owner, up to its lock wait; then it ends the owner's lane by its name, once.
 */
import type {
  OwnerRow,
  PartitionStore,
  TakenPartition,
  TakeoverRequest,
  TopicLayout,
  TriedRecord,
} from '../../ports/partition-store.ts';
import { ownerLock } from './lane-packet.ts';
import { laneName } from './lane-settings.ts';
import { change, put, type MemoryDatabase } from './memory-database.ts';
import type { OwnerRecord } from './memory-rows.ts';
import { pooledLockWaitMs, unavailable } from './memory-server.ts';
import { MemoryTransaction } from './memory-session.ts';

/** Lock wait of a takeover, the shortest that MySQL knows. */
const takeoverLockWaitMs = 1_000;

/** How long a held row is waited for in all. Default: the real store's. */
export interface TakeoverLimits {
  readonly heldRowMs: number;
}

/** See the file header. */
export class MemoryPartitionStore implements PartitionStore {
  private readonly database: MemoryDatabase;
  private readonly limits: TakeoverLimits;

  constructor(database: MemoryDatabase, limits: TakeoverLimits = { heldRowMs: 20_000 }) {
    this.database = database;
    this.limits = limits;
  }

  ensureLayout(layout: TopicLayout): Promise<TopicLayout> {
    const { server, layouts } = this.database;
    return server.call('partitions', 'storing the topic layout', 'write', () => {
      const stored = layouts.get(layout.topic);
      if (stored === undefined) this.database.commit([put(layouts, layout.topic, layout)]);
      return stored ?? layout;
    });
  }

  readOwners(): Promise<readonly OwnerRow[]> {
    return this.database.server.call('partitions', 'reading the partition owners', 'read', () => {
      const rows = [...this.database.owners.values()].map(ownerRowOf);
      return rows.sort((one, other) => one.partition - other.partition);
    });
  }

  readOwner(partition: number): Promise<OwnerRow | null> {
    return this.database.server.call('partitions', 'reading a partition owner', 'read', () => {
      const row = this.database.owners.get(partition);
      return row === undefined ? null : ownerRowOf(row);
    });
  }

  takeover(request: TakeoverRequest): Promise<TakenPartition> {
    const what = `taking partition ${request.partition} over`;
    return this.database.server.call('partitions', what, 'write', () => this.raise(request, what));
  }

  noteTry(
    partition: number,
    epoch: bigint,
    incarnation: string,
    tried: TriedRecord,
  ): Promise<boolean> {
    return this.changeOwn({ partition, epoch, incarnation }, 'noting a try', { tried });
  }

  async release(partition: number, epoch: bigint, incarnation: string): Promise<void> {
    const owner = { partition, epoch, incarnation };
    await this.changeOwn(owner, 'releasing a partition', { released: true });
  }

  /** One autocommit UPDATE of the owner's row; false when it is no longer the owner's. */
  private changeOwn(
    owner: Pick<OwnerRecord, 'partition' | 'epoch' | 'incarnation'>,
    what: string,
    changes: Partial<OwnerRecord>,
  ): Promise<boolean> {
    return this.database.server.call('partitions', what, 'write', async () => {
      const transaction = new MemoryTransaction(this.database);
      const answer = await transaction.lock(ownerLock(owner.partition), pooledLockWaitMs);
      if (answer !== 'granted') throw unavailable(what, answer);
      let isOurs = false;
      transaction.stage(
        change(this.database.owners, owner.partition, (row) => {
          isOurs = row.epoch === owner.epoch && row.incarnation === owner.incarnation;
          const updatedAtMs = this.database.server.clock.wallMs();
          return isOurs ? { ...row, ...changes, updatedAtMs } : row;
        }),
      );
      if (!transaction.commit()) throw unavailable(what, 'the transaction was ended');
      return isOurs;
    });
  }

  private async raise(request: TakeoverRequest, what: string): Promise<TakenPartition> {
    const { server, owners } = this.database;
    const { partition } = request;
    const giveUpAtMs = server.clock.monoMs() + this.limits.heldRowMs;
    let mayEndHolder = true;
    let before = seenOf(owners.get(partition));
    for (;;) {
      const transaction = new MemoryTransaction(this.database);
      const answer = await transaction.lock(ownerLock(partition), takeoverLockWaitMs);
      if (answer === 'granted') return this.write(transaction, request, what);
      transaction.rollBack();
      if (answer === 'sessionEnded') throw unavailable(what, answer);
      const now = owners.get(partition);
      // A row that changed meanwhile has an owner who commits: nobody healthy is ended.
      if (now !== undefined && mayEndHolder && before === seenOf(now)) {
        mayEndHolder = false;
        server.kill(laneName(now.incarnation, now.lane));
      }
      before = seenOf(now);
      if (server.clock.monoMs() > giveUpAtMs) throw unavailable(what, 'the row stayed held');
    }
  }

  private write(
    transaction: MemoryTransaction,
    request: TakeoverRequest,
    what: string,
  ): TakenPartition {
    const { partition, nodeId, incarnation, lane, advertiseAddr } = request;
    const before = this.database.owners.get(partition);
    const appliedOffset = before?.appliedOffset ?? -1n;
    const epoch = (before?.epoch ?? 0n) + 1n;
    // Nobody had it: nobody to wait for.
    const wasReleased = before?.released ?? true;
    const stalledTakeovers =
      before?.takenAtOffset === appliedOffset ? before.stalledTakeovers + (wasReleased ? 0 : 1) : 0;
    const tried = before?.tried ?? null;
    const kept = {
      offsetsSinceEpoch: before?.offsetsSinceEpoch ?? 0n,
      appliedRecordMs: before?.appliedRecordMs ?? null,
      acceptedHint: before?.acceptedHint ?? -1n,
      replayUntil: before?.replayUntil ?? -1n,
    };
    const row: OwnerRecord = {
      partition,
      epoch,
      ownerNodeId: nodeId,
      incarnation,
      lane,
      advertiseAddr,
      appliedOffset,
      commitSeq: 0n,
      released: false,
      updatedAtMs: this.database.server.clock.wallMs(),
      takenAtOffset: appliedOffset,
      stalledTakeovers,
      tried,
      ...kept,
    };
    transaction.stage(put(this.database.owners, partition, row));
    if (!transaction.commit()) throw unavailable(what, 'the transaction was ended');
    return {
      partition,
      epoch,
      appliedOffset,
      settledOffsets: this.settledAbove(row),
      wasReleased,
      stalledTakeovers,
      tried,
      appliedRecordMs: row.appliedRecordMs,
      acceptedHint: row.acceptedHint,
      replayUntil: row.replayUntil,
    };
  }

  /** Refused ones have a mark; logged ones are found by the offset in their row. */
  private settledAbove(owner: OwnerRecord): readonly bigint[] {
    const { partition, appliedOffset, offsetsSinceEpoch } = owner;
    const marked = [...(this.database.settled.get(partition) ?? [])];
    const logged = this.database.log
      .rowsBy('partition', String(partition))
      .filter(({ epoch }) => epoch >= offsetsSinceEpoch)
      .flatMap(({ kafkaOffset }) => kafkaOffset ?? []);
    return [...new Set([...marked, ...logged])]
      .filter((offset) => offset > appliedOffset)
      .sort((left, right) => (left < right ? -1 : 1));
  }
}

/** The row as readers of owners get it. */
function ownerRowOf(row: OwnerRecord): OwnerRow {
  const { partition, epoch, ownerNodeId, incarnation, lane, advertiseAddr } = row;
  const { appliedOffset, commitSeq, released, updatedAtMs } = row;
  const place = { partition, epoch, ownerNodeId, incarnation, lane, advertiseAddr };
  return { ...place, appliedOffset, commitSeq, released, updatedAtMs };
}

/** What tells a row that was committed meanwhile from one that stood still. */
function seenOf(row: OwnerRow | undefined): string {
  return row === undefined ? '' : `${row.epoch}.${row.commitSeq}`;
}
