/**
 * Steps 3 and 7 of a command: EnsureOwner before decide, VerifyOwner beside the transaction's first
 * packet (LEASE-13, LEASE-14). Redis never decides: "not yours" makes us read the owner row, and
 * only a higher epoch there means fenced; a silent Redis costs at most its budget.
 */
import type { LeaseClaim, LeaseVerdict } from '../../ports/lease-directory.ts';
import { Failure } from '../../kernel/failure.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';

/** What the leases say about a batch. */
export interface LeaseFindings {
  /** Partitions that MySQL gives to somebody else by now. */
  readonly lost: ReadonlySet<Partition>;
}

const noneLost: LeaseFindings = { lost: new Set() };

/** EnsureOwner for every room of a batch, in one pipeline. */
export async function ensureLeases(
  context: CellContext,
  rooms: readonly RoomCell[],
): Promise<LeaseFindings> {
  if (rooms.length === 0) return noneLost;
  const { leases, options } = context;
  const verdicts = await leases.ensure(rooms.map(claimOf), options.leaseBudgetMs);
  return judge(context, rooms, verdicts);
}

/** VerifyOwner for every room of a batch, in one pipeline, with the tokens that ensure gave. */
export async function verifyLeases(
  context: CellContext,
  rooms: readonly RoomCell[],
): Promise<LeaseFindings> {
  const held = rooms.filter((room) => room.leaseToken !== '');
  if (held.length === 0) return noneLost;
  const { leases, options } = context;
  const verdicts = await leases.verify(held.map(claimOf), options.leaseBudgetMs);
  return judge(context, held, verdicts);
}

async function judge(
  context: CellContext,
  rooms: readonly RoomCell[],
  verdicts: readonly LeaseVerdict[],
): Promise<LeaseFindings> {
  const foreign: RoomCell[] = [];
  verdicts.forEach((verdict, at) => {
    const room = rooms[at];
    if (room === undefined) return;
    if (verdict.kind === 'held') room.leaseToken = verdict.token;
    else if (verdict.kind === 'foreign') foreign.push(room);
    else context.metrics.count('cell_lease_unreachable_total');
  });
  if (foreign.length === 0) return noneLost;
  context.metrics.count('cell_lease_foreign_total', {}, foreign.length);
  const { lost, confirmed } = await askOwners(context, foreign);
  const ours = foreign.filter(({ partition }) => confirmed.has(partition));
  if (ours.length > 0) await overwrite(context, ours);
  return { lost };
}

/**
 * Race (test "an emptied or forged lease never stops the owner of the epoch"):
 *   1. Somebody writes a foreign token into the key, or Redis comes back with old data.
 *   2. We read the owner row: no higher epoch stands there. Unread, the key stays as it is, for it
 *      may be our successor's (test "is not overwritten while MySQL cannot say …").
 *   3. We overwrite the key and go on: the fence in the transaction protects a wrong step 2.
 */
async function overwrite(context: CellContext, rooms: readonly RoomCell[]): Promise<void> {
  const verdicts = await context.leases.overwrite(
    rooms.map(claimOf),
    context.options.leaseBudgetMs,
  );
  verdicts.forEach((verdict, at) => {
    const room = rooms[at];
    if (room !== undefined && verdict.kind === 'held') room.leaseToken = verdict.token;
  });
  context.metrics.count('cell_lease_overwritten_total', {}, rooms.length);
}

/** Whose the rooms' partitions are by MySQL; one whose owner row cannot be read is in neither set. */
async function askOwners(
  context: CellContext,
  rooms: readonly RoomCell[],
): Promise<LeaseFindings & { readonly confirmed: ReadonlySet<Partition> }> {
  const lost = new Set<Partition>();
  const confirmed = new Set<Partition>();
  for (const partition of new Set(rooms.map((room) => room.partition))) {
    try {
      const row = await context.partitions.readOwner(partition.id);
      (row !== null && row.epoch > partition.epoch ? lost : confirmed).add(partition);
    } catch (error) {
      // Out of reach: the transaction will meet the same outage, and its fence decides.
      if (!(error instanceof Failure)) throw error;
      context.log.warn({ partition: partition.id, error: error.message }, 'owner row unread');
    }
  }
  return { lost, confirmed };
}

function claimOf(room: RoomCell): LeaseClaim {
  return { roomKey: room.key, epoch: room.partition.epoch, token: room.leaseToken };
}
