/**
 * Finds out how a COMMIT without an answer ended. Runs on a new connection that holds the lane's
 * name lock, so the old one is over; the fence rows are locked all the same, because behind a proxy
 * the name lock may not mean that.
 */
import { assert, assertDefined } from '../../kernel/assert.ts';
import type { FenceStep, LaneBatch, LogRow, SettledCommit } from '../../ports/commit-lane.ts';
import type { MysqlSession, Row } from './session.ts';

type FenceVerdict = 'committed' | 'absent' | 'fenced';

/**
 * Reads how `batch` ended. Throws MysqlError while the rows cannot be had, and InvariantError when
 * the rows contradict each other: one transaction cannot be half there.
 */
export async function readHowItEnded(
  session: MysqlSession,
  topic: string,
  batch: LaneBatch,
): Promise<SettledCommit> {
  await session.run('START TRANSACTION');
  try {
    const verdicts = await lockFences(session, topic, batch.fences);
    const stored = await countStoredLogRows(session, batch.logRows);
    return judge(batch, verdicts, stored);
  } finally {
    await endReading(session);
  }
}

/** Waits, in ascending order like every writer, until nobody else has a transaction on the rows. */
async function lockFences(
  session: MysqlSession,
  topic: string,
  fences: readonly FenceStep[],
): Promise<ReadonlyMap<number, FenceVerdict>> {
  const verdicts = new Map<number, FenceVerdict>();
  for (const fence of [...fences].sort((a, b) => a.partition - b.partition)) {
    const rows = await session.rows(
      'SELECT epoch, incarnation, commit_seq FROM partition_owner ' +
        'WHERE topic = ? AND partition_id = ? FOR UPDATE',
      [topic, fence.partition],
    );
    verdicts.set(fence.partition, fenceVerdict(fence, rows[0]));
  }
  return verdicts;
}

function fenceVerdict(fence: FenceStep, row: Row | undefined): FenceVerdict {
  if (row === undefined) return 'fenced';
  if (BigInt(String(row['epoch'])) !== fence.epoch) return 'fenced';
  if (row['incarnation'] !== fence.incarnation) return 'fenced';
  const commitSeq = BigInt(String(row['commit_seq']));
  if (commitSeq === fence.commitSeq + 1n) return 'committed';
  assert(commitSeq === fence.commitSeq, 'a partition of ours was committed by somebody else', {
    partition: fence.partition,
    epoch: fence.epoch,
    expected: fence.commitSeq,
    stored: commitSeq,
  });
  return 'absent';
}

/**
 * How many of the batch's log rows are stored *by this batch*: epoch and node tell them from rows
 * that a successor made when it executed the same command again.
 */
async function countStoredLogRows(
  session: MysqlSession,
  logRows: readonly LogRow[],
): Promise<{ readonly found: number; readonly asked: number }> {
  // One transaction is there as a whole or not at all: a few rows prove it.
  const asked = logRows.slice(0, logRowsAsked);
  let found = 0;
  for (const row of asked) {
    const rows = await session.rows(
      'SELECT epoch, owner_node_id, partition_id FROM room_command_log ' +
        'WHERE app_code = ? AND room_id = ? AND command_id = ?',
      [row.appCode, row.roomId, row.commandId],
    );
    const stored = rows[0];
    if (stored === undefined) continue;
    const isOurs =
      BigInt(String(stored['epoch'])) === row.epoch &&
      stored['owner_node_id'] === row.ownerNodeId &&
      Number(stored['partition_id']) === row.partition;
    if (isOurs) found += 1;
  }
  return { found, asked: asked.length };
}

const logRowsAsked = 3;

function judge(
  batch: LaneBatch,
  verdicts: ReadonlyMap<number, FenceVerdict>,
  stored: { readonly found: number; readonly asked: number },
): SettledCommit {
  const fenced: number[] = [];
  const owned = new Set<FenceVerdict>();
  for (const { partition } of batch.fences) {
    const verdict = assertDefined(verdicts.get(partition), 'a fence row was not read');
    if (verdict === 'fenced') fenced.push(partition);
    else owned.add(verdict);
  }
  const facts = { fenced, owned: [...owned], ...stored };
  assert(owned.size <= 1, 'one transaction is stored for some partitions only', facts);
  assert(stored.found === 0 || stored.found === stored.asked, 'a batch is half stored', facts);
  // With every row taken over, only the log rows can tell; without any, nothing was stored that a
  // successor could miss.
  const byLog = stored.found > 0 ? 'committed' : 'absent';
  const rest = owned.has('committed') ? 'committed' : owned.has('absent') ? 'absent' : byLog;
  if (stored.asked > 0) {
    assert(rest === byLog, 'commit_seq and the log disagree about a batch', facts);
  }
  return fenced.length === 0 ? { kind: rest } : { kind: 'fenced', partitions: fenced, rest };
}

/** Nothing was changed: a session that cannot say ROLLBACK is simply not used again. */
async function endReading(session: MysqlSession): Promise<void> {
  try {
    await session.run('ROLLBACK');
  } catch {
    session.destroy();
  }
}
