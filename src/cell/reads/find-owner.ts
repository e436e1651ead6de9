/**
 * Where a room's owner is to be found by a node that is not it: the hot route in Redis, else the owner
 * row in MySQL (LEASE-11). Both may be old; the node at the other end judges for itself.
 */
import type { RoomKey } from '../../domain/ids.ts';
import type { OwnerRow } from '../../ports/partition-store.ts';
import type { CellContext } from '../cell-context.ts';

/** A node to ask. */
export interface OwnerPlace {
  readonly nodeId: string;
  readonly advertiseAddr: string;
}

type Stores = Pick<CellContext, 'leases' | 'partitions' | 'options'>;

/**
 * By Redis: the holder of the room's lease at the address that it announces. Null when the lease or
 * the announcement has run out (LEASE-35), when Redis is out of reach, or when they name this node.
 */
export async function ownerByRoute(
  { leases, options }: Stores,
  roomKey: RoomKey,
): Promise<OwnerPlace | null> {
  const holder = await leases.ownerOf(roomKey);
  if (holder === null || holder.ownerNodeId === options.nodeId) return null;
  const advertiseAddr = await leases.addressOf(holder.ownerNodeId);
  if (advertiseAddr === null || advertiseAddr === options.advertiseAddr) return null;
  return { nodeId: holder.ownerNodeId, advertiseAddr };
}

/** By MySQL: who took the partition over last. Throws Retry when MySQL is out of reach. */
export async function ownerByRow(
  { partitions, options }: Stores,
  partition: number,
): Promise<OwnerPlace | null> {
  const row = await partitions.readOwner(partition);
  return row === null ? null : placeOf(row, options.incarnation);
}

/** Null: nobody to ask. Our own row says that we are about to serve the partition, or have just lost it. */
function placeOf(row: OwnerRow, incarnation: string): OwnerPlace | null {
  if (row.ownerNodeId === '' || row.released || row.incarnation === incarnation) return null;
  return { nodeId: row.ownerNodeId, advertiseAddr: row.advertiseAddr };
}
