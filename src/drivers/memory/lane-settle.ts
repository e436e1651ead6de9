/** How a COMMIT without an answer ended, read as the real lane reads it: rows locked, then judged. */
import { assert, InvariantError } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import { roomKeyOf } from '../../domain/ids.ts';
import type { FenceStep, LaneBatch, LogRow, SettledCommit } from '../../ports/commit-lane.ts';
import { ownerLock } from './lane-packet.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { logKey } from './memory-rows.ts';
import { unavailable } from './memory-server.ts';
import type { MemorySession } from './memory-session.ts';

/**
 * Throws Retry while a fence row cannot be locked, and Corrupt when the rows contradict each other:
 * one transaction cannot be half there.
 */
export async function readHowItEnded(
  database: MemoryDatabase,
  session: MemorySession,
  batch: LaneBatch,
  lockWaitMs: number,
): Promise<SettledCommit> {
  const transaction = session.begin();
  try {
    for (const { partition } of [...batch.fences].sort((a, b) => a.partition - b.partition)) {
      const answer = await transaction.lock(ownerLock(partition), lockWaitMs);
      if (answer !== 'granted') throw unavailable('settling a commit', answer);
    }
    return judge(database, batch);
  } catch (thrown) {
    if (!(thrown instanceof InvariantError)) throw thrown;
    throw new Failure('corrupt', 'INTERNAL', thrown.message, { cause: thrown });
  } finally {
    transaction.rollBack();
  }
}

function judge(database: MemoryDatabase, batch: LaneBatch): SettledCommit {
  const fenced: number[] = [];
  const owned = new Set<'committed' | 'absent'>();
  for (const fence of batch.fences) {
    const verdict = verdictOf(database, fence);
    if (verdict === 'fenced') fenced.push(fence.partition);
    else owned.add(verdict);
  }
  assert(owned.size <= 1, 'one transaction is stored for some partitions only');
  const stored = batch.logRows.filter((row) => isStoredByUs(database, row)).length;
  assert(stored === 0 || stored === batch.logRows.length, 'a batch is half stored', { stored });
  const byLog = stored > 0 ? 'committed' : 'absent';
  const rest = [...owned][0] ?? byLog;
  if (batch.logRows.length > 0) {
    assert(rest === byLog, 'commit_seq and the log disagree about a batch', { rest, byLog });
  }
  return fenced.length === 0 ? { kind: rest } : { kind: 'fenced', partitions: fenced, rest };
}

function verdictOf(
  database: MemoryDatabase,
  { partition, epoch, incarnation, commitSeq }: FenceStep,
): 'committed' | 'absent' | 'fenced' {
  const row = database.owners.get(partition);
  if (row?.epoch !== epoch || row.incarnation !== incarnation) return 'fenced';
  if (row.commitSeq === commitSeq + 1n) return 'committed';
  const facts = { partition, stored: row.commitSeq, commitSeq };
  assert(row.commitSeq === commitSeq, 'a partition of ours was committed by another', facts);
  return 'absent';
}

/** Epoch and node tell the batch's row from one that a successor made of the same command. */
function isStoredByUs({ log }: MemoryDatabase, row: LogRow): boolean {
  const stored = log.get(logKey(roomKeyOf(row.appCode, row.roomId), row.commandId));
  return (
    stored !== undefined &&
    stored.epoch === row.epoch &&
    stored.ownerNodeId === row.ownerNodeId &&
    stored.partition === row.partition
  );
}
