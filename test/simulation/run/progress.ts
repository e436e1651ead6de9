/**
 * Whether a deployment has come to rest: everything owned, read, applied and delivered (INV-31), and
 * whether a partition that has work and an owner gets on meanwhile (INV-32).
 */
import { isUnfinished } from '../../../src/drivers/memory/memory-rows.ts';
import type { OwnerRow } from '../../../src/ports/partition-store.ts';
import type { World } from '../world/world.ts';

/** A deadline is nobody's when it was not kept for so long: looks for due rooms come each second. */
const overdueAfterMs = 5_000;

/** What is still to be done; null when nothing is. */
export function unfinishedWork(world: World): string | null {
  const { database, partitionCount } = world;
  const notReady = world.pods.find((pod) => !pod.isReady);
  if (notReady !== undefined) return `${notReady.name} is not ready`;
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const owner = database.owners.get(partition);
    if (owner === undefined) return `nobody has ever owned partition ${partition}`;
    const mistaken = mistakenOwner(world, owner);
    if (mistaken !== null) return mistaken;
    const last = lastOffset(world, partition);
    if (owner.appliedOffset < last) {
      return `partition ${partition} is applied up to ${owner.appliedOffset} of ${last}`;
    }
  }
  for (const row of database.outbox.values()) {
    if (!isUnfinished(row)) continue;
    return `outbox row ${row.rowId} (${row.destination}) is ${row.status}: ${row.lastError}`;
  }
  const overdueMs = database.server.clock.wallMs() - overdueAfterMs;
  for (const { appCode, roomId, nextDeadlineMs } of database.rooms.values()) {
    if (nextDeadlineMs === null || nextDeadlineMs > overdueMs) continue;
    return `a deadline of ${appCode}/${roomId} was due at ${nextDeadlineMs} ms`;
  }
  for (const settlement of database.settlements.values()) {
    if (settlement.status !== 'settled') return `a debit is still owed back`;
  }
  return null;
}

/** Who has the row must know, and nobody else may believe it: what is due there would be nobody's. */
function mistakenOwner(world: World, { partition, epoch, ...row }: OwnerRow): string | null {
  const believers = world.podsOf('cell').filter((pod) => {
    return pod.ownedPartitions().some((owned) => owned.id === partition && owned.epoch === epoch);
  });
  const isKnown = believers.some(({ incarnation }) => incarnation === row.incarnation);
  if (isKnown && !row.released) return null;
  const says = row.released ? 'gave it up' : 'does not know';
  return `partition ${partition} is in the tables at epoch ${epoch} of ${row.incarnation}, who ${says}`;
}

/** The newest record of a partition of commands; -1 when there is none. */
function lastOffset(world: World, partition: number): bigint {
  return world.commandsPartition(partition).endOffset - 1n;
}

/** So long a process waits at most for its name, if that was a dead one's (`cell/node-watch.ts`). */
const nameWaitMs = 4_500;
/**
 * Longest time in which a partition with an owner and with work may stand still, in virtual ms: two
 * rebalances, the second for a process that had to wait for its name.
 */
const standstillMaxMs = 10_000 + nameWaitMs;

/** Looks at every partition now and then; answers which one stands still. */
export class LagWatch {
  private readonly world: World;
  /** What was seen last of each partition, and since when it is so. */
  private readonly seen = new Map<number, { readonly mark: string; readonly sinceMs: number }>();

  constructor(world: World) {
    this.world = world;
  }

  /** A sentence about the first partition that stands still; null: all get on. */
  look(): string | null {
    const { database, kernel, partitionCount } = this.world;
    // A process that ends or begins (a record may kill on after the heal) has the group rebalance,
    // and until that is over nobody reads: time counts from there.
    const lives = this.world.pods.map(({ incarnation }) => incarnation).join();
    for (let partition = 0; partition < partitionCount; partition += 1) {
      const owner = database.owners.get(partition);
      const last = lastOffset(this.world, partition);
      // One that its owner gave up waits for the group's word; whether that comes is INV-31's.
      const isHeld = owner?.released === false;
      const isOwned =
        isHeld && this.world.pods.some(({ incarnation }) => incarnation === owner.incarnation);
      if (owner === undefined || owner.appliedOffset >= last || !isOwned) {
        this.seen.delete(partition);
        continue;
      }
      const mark = `${owner.epoch}.${owner.appliedOffset} ${lives}`;
      const before = this.seen.get(partition);
      if (before?.mark !== mark) this.seen.set(partition, { mark, sinceMs: kernel.nowMs });
      else if (kernel.nowMs - before.sinceMs > standstillMaxMs) {
        return `partition ${partition} stands at offset ${owner.appliedOffset} of ${last}`;
      }
    }
    return null;
  }
}
