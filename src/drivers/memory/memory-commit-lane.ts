/**
 * Memory twin of the commit lane: the same outcomes in the same order of checks, and a queue of
 * faults by which a test brings about what a real server does on its bad days.
 */
import { roomKeyOf } from '../../domain/ids.ts';
import type {
  CommitGate,
  CommitLane,
  CommitOutcome,
  LaneBatch,
  SettledCommit,
} from '../../ports/commit-lane.ts';
import { logKey, type MemoryDatabase } from './memory-database.ts';

/** What the next transaction does instead of ending normally. */
export type LaneFault =
  /** The batch is stored, the answer to COMMIT is lost. */
  | { readonly kind: 'lostAfterCommit' }
  /** The connection is lost before COMMIT took effect. */
  | { readonly kind: 'lostBeforeCommit' }
  /** 1213, or 1205 outside of the fence rows. */
  | { readonly kind: 'conflict' }
  /** Refused for the server's own reasons. */
  | { readonly kind: 'unavailable' }
  /** 1205 on these partitions' owner rows. */
  | { readonly kind: 'fenceBusy'; readonly partitions: readonly number[] };

/** See the file header. */
export class MemoryCommitLane implements CommitLane {
  /** Faults of the next transactions, first one first. */
  readonly faults: LaneFault[] = [];
  /** Answers whether the database takes these data; a test refuses by it. */
  dataFault: (batch: LaneBatch) => boolean = () => false;
  /** Transactions tried so far. */
  tries = 0;
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async commit(batch: LaneBatch, gate: CommitGate): Promise<CommitOutcome> {
    this.tries += 1;
    const fault = this.faults.shift();
    if (fault?.kind === 'fenceBusy') return fault;
    if (fault?.kind === 'conflict') return { kind: 'conflict', cause: 'deadlock by the test' };
    if (fault?.kind === 'unavailable') return { kind: 'unavailable', cause: 'down by the test' };
    const refusal = this.refusal(batch);
    if (refusal !== null) return refusal;
    if (!(await gate)) return { kind: 'stopped' };
    if (fault?.kind === 'lostBeforeCommit') return { kind: 'unknown', cause: 'cut by the test' };
    // The gate took time: as on a server, the row locks would have held everybody else off.
    const late = this.refusal(batch);
    if (late !== null) return late;
    this.store(batch);
    return fault?.kind === 'lostAfterCommit'
      ? { kind: 'unknown', cause: 'cut by the test' }
      : { kind: 'committed' };
  }

  settle(batch: LaneBatch): Promise<SettledCommit> {
    const fenced: number[] = [];
    let committed = false;
    for (const fence of batch.fences) {
      const row = this.database.owners.get(fence.partition);
      if (row?.epoch !== fence.epoch || row.incarnation !== fence.incarnation) {
        fenced.push(fence.partition);
      } else {
        committed = row.commitSeq === fence.commitSeq + 1n;
      }
    }
    if (fenced.length === batch.fences.length) {
      committed = batch.logRows.some(({ appCode, roomId, commandId }) =>
        this.database.log.has(logKey(roomKeyOf(appCode, roomId), commandId)),
      );
    }
    const rest = committed ? 'committed' : 'absent';
    if (fenced.length > 0) return Promise.resolve({ kind: 'fenced', partitions: fenced, rest });
    return Promise.resolve({ kind: rest });
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  private refusal(batch: LaneBatch): CommitOutcome | null {
    const { owners, rooms, log } = this.database;
    const fenced = batch.fences
      .filter(({ partition, epoch, incarnation, commitSeq }) => {
        const row = owners.get(partition);
        return (
          row?.epoch !== epoch || row.incarnation !== incarnation || row.commitSeq !== commitSeq
        );
      })
      .map(({ partition }) => partition);
    if (fenced.length > 0) return { kind: 'fenced', partitions: fenced };
    const stale = [
      ...batch.versionChecks.map(({ roomKey, version }) => ({ roomKey, version })),
      ...batch.roomRows.map(({ appCode, roomId, previousVersion }) => ({
        roomKey: roomKeyOf(appCode, roomId),
        version: previousVersion,
      })),
    ].filter(({ roomKey, version }) => (rooms.get(roomKey)?.version ?? 0n) !== version);
    if (stale.length > 0) {
      return { kind: 'staleRooms', roomKeys: stale.map(({ roomKey }) => roomKey) };
    }
    const doubled = batch.logRows.some(({ appCode, roomId, commandId }) =>
      log.has(logKey(roomKeyOf(appCode, roomId), commandId)),
    );
    if (doubled) return { kind: 'duplicateCommand', cause: 'the id has a row' };
    return this.dataFault(batch) ? { kind: 'dataError', cause: 'refused by the test' } : null;
  }

  private store(batch: LaneBatch): void {
    const { owners, settled, log, rooms, events, deadLetters } = this.database;
    for (const fence of batch.fences) {
      const row = owners.get(fence.partition);
      if (row === undefined) continue;
      row.appliedOffset = fence.appliedOffset;
      row.commitSeq += 1n;
      const offsets = settled.get(fence.partition) ?? new Set<bigint>();
      for (const offset of fence.settledOffsets) offsets.add(offset);
      for (const offset of offsets) if (offset <= fence.appliedOffset) offsets.delete(offset);
      settled.set(fence.partition, offsets);
    }
    for (const row of batch.logRows) {
      log.set(logKey(roomKeyOf(row.appCode, row.roomId), row.commandId), row);
    }
    for (const row of batch.roomRows) rooms.set(roomKeyOf(row.appCode, row.roomId), row);
    events.push(...batch.eventRows);
    deadLetters.push(...batch.deadLetters);
  }
}
