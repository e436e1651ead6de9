/**
 * A call that met a node which does not own the room goes on to the one that does, once
 * (architecture section 3).
 *
 * Race (test "an address that leads back to the one who forwards ends after one hop"): an
 * `advertise_addr` of a load balancer sends a forwarded call anywhere (TST-14). Closed by [A].
 */
import type { RoomKey } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import { unreached, type OwnerReadsPeers } from '../../ports/owner-reads.ts';
import type { CellContext } from '../cell-context.ts';
import { ownerByRoute, ownerByRow } from './find-owner.ts';
import { notOwnerBut, type OwnedRooms } from './owned-rooms.ts';

/** A node that may be the owner. */
export type OtherNode = ReturnType<OwnerReadsPeers['at']>;

/**
 * What `call` gets from the owner: by the route in Redis and, where that leads to nobody, by the row
 * in MySQL. Throws NOT_OWNER for what was passed on already.
 */
export async function passOn<T>(
  context: CellContext,
  owned: OwnedRooms,
  { roomKey, forwardedBy }: { readonly roomKey: RoomKey; readonly forwardedBy: string },
  call: (node: OtherNode) => Promise<T>,
): Promise<T> {
  const { id } = owned.placeOf(roomKey);
  if (forwardedBy !== '') throw await owned.notOwner(id); // [A]
  const { options, metrics, peers } = context;
  const byRoute = await ownerByRoute(context, roomKey);
  metrics.count('cell_reads_forwarded_total', { by: byRoute === null ? 'row' : 'route' });
  if (byRoute !== null) {
    try {
      return await call(peers.at(byRoute.advertiseAddr));
    } catch (error) {
      // Nobody has seen the call: the route names a node that is gone, and the row may know better.
      if (!(error instanceof Failure) || error.facts['node'] !== unreached.node) throw error;
    }
  }
  const byRow = await ownerByRow(context, id);
  if (byRow === null || byRow.advertiseAddr === options.advertiseAddr) throw notOwnerBut(null);
  return call(peers.at(byRow.advertiseAddr));
}
