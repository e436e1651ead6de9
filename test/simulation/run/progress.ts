/** Whether a deployment has come to rest: everything owned, read, applied and delivered (INV-31). */
import { isUnfinished } from '../../../src/drivers/memory/memory-rows.ts';
import type { World } from '../world/world.ts';

/** A deadline is nobody's when it was not kept for so long: looks for due rooms come each second. */
const overdueAfterMs = 5_000;

/** What is still to be done; null when nothing is. */
export function unfinishedWork(world: World): string | null {
  const { database, partitionCount } = world;
  // Of cells the partitions are asked instead: one that lost its last partition in an outage of the
  // database says DB_DOWN until it commits again, which without a partition it never does.
  const notReady = world.pods.find((pod) => pod.role !== 'cell' && !pod.isReady);
  if (notReady !== undefined) return `${notReady.name} is not ready`;
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const owner = database.owners.get(partition);
    if (owner === undefined) return `nobody has ever owned partition ${partition}`;
    const records = world.commandRecords(partition);
    const last = records.at(-1)?.offset ?? -1n;
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
