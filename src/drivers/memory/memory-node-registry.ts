/** Memory twin of the cell nodes that live. Leases run on the server's clock. */
import type { NodeClaim, NodeLook, NodeRegistry } from '../../ports/node-registry.ts';
import { put, remove, type MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemoryNodeRegistry implements NodeRegistry {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  renew({ nodeId, incarnation, ttlMs }: NodeClaim): Promise<NodeLook> {
    const { server, nodes } = this.database;
    return server.call('nodes', 'renewing the name of a node', 'write', () => {
      const databaseMs = server.clock.wallMs();
      const row = nodes.get(nodeId);
      const isOurs = row?.incarnation === incarnation;
      if (row !== undefined && !isOurs && row.leaseUntilMs > databaseMs) {
        const heldBy = { incarnation: row.incarnation, renewedAtMs: row.renewedAtMs };
        return { databaseMs, heldBy, drainAskedBy: '' };
      }
      const drainAskedBy = isOurs ? row.drainAskedBy : '';
      const leaseUntilMs = databaseMs + ttlMs;
      const renewed = { nodeId, incarnation, renewedAtMs: databaseMs, leaseUntilMs, drainAskedBy };
      this.database.commit([put(nodes, nodeId, renewed)]);
      return { databaseMs, heldBy: null, drainAskedBy };
    });
  }

  release(nodeId: string, incarnation: string): Promise<void> {
    const { server, nodes } = this.database;
    return server.call('nodes', 'freeing the name of a node', 'write', () => {
      const isOurs = nodes.get(nodeId)?.incarnation === incarnation;
      if (isOurs) this.database.commit([remove(nodes, nodeId)]);
    });
  }
}
