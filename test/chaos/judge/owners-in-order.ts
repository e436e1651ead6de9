/**
 * The rows of the log in the order of their decisions, each with the owner row that was in force. The
 * order of commits is kept nowhere; decisions stand for it, since a row is decided in its epoch and
 * committed before the next one begins, unless the fence has failed.
 */
import type { OwnerRecord } from '../../../src/drivers/memory/memory-rows.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { ChaosRecord } from '../record/chaos-record.ts';

/** Owner rows that change, and the row that is committed under them; null: none is. */
export interface OwnedStep {
  readonly owners: readonly OwnerRecord[];
  readonly row: LogRow | null;
}

/** See the file header. Owners are those that an onlooker saw; of an epoch that it missed, the row's. */
export function ownersInOrder(record: ChaosRecord): readonly OwnedStep[] {
  const seen = seenOwners(record);
  /** The owner rows in force; `isTold`: only by a row of the log so far. */
  const current = new Map<number, { readonly owner: OwnerRecord; readonly isTold: boolean }>();
  const steps: OwnedStep[] = [];
  for (const moment of inOrder(record)) {
    if ('owners' in moment) {
      // What an onlooker read may be older than the time at which it had read it.
      const owners = moment.owners.filter(({ partition, epoch }) => {
        const known = current.get(partition);
        return known?.isTold !== true || known.owner.epoch <= epoch;
      });
      for (const owner of owners) current.set(owner.partition, { owner, isTold: false });
      steps.push({ owners, row: null });
      continue;
    }
    const { row } = moment;
    const known = current.get(row.partition)?.owner;
    const isNew = known === undefined || known.epoch < row.epoch;
    if (!isNew) {
      steps.push({ owners: [], row });
      continue;
    }
    const owner = ownerOf(row, known, seen.get(`${row.partition}/${row.epoch}`));
    current.set(row.partition, { owner, isTold: true });
    steps.push({ owners: [owner], row });
  }
  return steps;
}

type Moment =
  | { readonly atMs: number; readonly rank: number; readonly row: LogRow }
  | { readonly atMs: number; readonly rank: number; readonly owners: readonly OwnerRecord[] };

function inOrder(record: ChaosRecord): readonly Moment[] {
  const rows = record.tables.log.map((row) => ({ atMs: row.decidedAtMs, rank: 0, row }));
  const samples = record.samples.map(({ atMs, rows: owners }) => ({ atMs, rank: 1, owners }));
  const end = { atMs: Infinity, rank: 1, owners: record.tables.owners };
  const moments: Moment[] = [...rows, ...samples, end];
  return moments.sort((one, other) => {
    const byTime = one.atMs === other.atMs ? 0 : one.atMs - other.atMs;
    if (byTime !== 0 || one.rank !== other.rank) return byTime || one.rank - other.rank;
    return 'row' in one && 'row' in other ? inOneMillisecond(one.row, other.row) : 0;
  });
}

/** Of one time: by epoch, and along the offsets. */
function inOneMillisecond(one: LogRow, other: LogRow): number {
  const byEpoch = Number(one.epoch - other.epoch);
  if (byEpoch !== 0) return byEpoch;
  return Number((one.kafkaOffset ?? -1n) - (other.kafkaOffset ?? -1n));
}

/** The first sight of each epoch, by `partition/epoch`. */
function seenOwners({ samples, tables }: ChaosRecord): ReadonlyMap<string, OwnerRecord> {
  const seen = new Map<string, OwnerRecord>();
  for (const row of [...samples.flatMap(({ rows }) => rows), ...tables.owners]) {
    const at = `${row.partition}/${row.epoch}`;
    if (!seen.has(at)) seen.set(at, row);
  }
  return seen;
}

/** As it was when the epoch began: an onlooker came later, when more was applied. */
function ownerOf(
  row: LogRow,
  before: OwnerRecord | undefined,
  seen: OwnerRecord | undefined,
): OwnerRecord {
  const known = seen ?? before;
  const appliedOffset = before?.appliedOffset ?? -1n;
  return {
    ...(known ?? unseen(row)),
    epoch: row.epoch,
    ownerNodeId: seen?.ownerNodeId ?? row.ownerNodeId,
    incarnation: seen?.incarnation ?? '',
    appliedOffset,
    commitSeq: 0n,
    released: false,
  };
}

function unseen({ partition, epoch, ownerNodeId }: LogRow): OwnerRecord {
  return {
    ...{ partition, epoch, ownerNodeId, incarnation: '', lane: 0, advertiseAddr: '' },
    ...{ appliedOffset: -1n, commitSeq: 0n, released: false, updatedAtMs: 0, takenAtOffset: null },
    ...{ stalledTakeovers: 0, tried: null, offsetsSinceEpoch: 0n, appliedRecordMs: null },
    ...{ acceptedHint: -1n, replayUntil: -1n },
  };
}
