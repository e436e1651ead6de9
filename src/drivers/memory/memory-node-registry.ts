/** Memory twin of the cell nodes that live. Leases run on the server's clock. */
import type { LivingNode, NodeClaim, NodeLook, NodeRegistry } from '../../ports/node-registry.ts';
import { put, remove, type MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemoryNodeRegistry implements NodeRegistry {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  renew({ nodeId, incarnation, ttlMs, queues }: NodeClaim): Promise<NodeLook> {
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
      const times = { renewedAtMs: databaseMs, leaseUntilMs };
      const renewed = { nodeId, incarnation, ...times, drainAskedBy, queues };
      this.database.commit([put(nodes, nodeId, renewed)]);
      return { databaseMs, heldBy: null, drainAskedBy };
    });
  }

  living(): Promise<readonly LivingNode[]> {
    const { server, nodes } = this.database;
    return server.call('nodes', 'reading the nodes that live', 'read', () =>
      [...nodes.values()]
        .filter(({ leaseUntilMs }) => leaseUntilMs > server.clock.wallMs())
        .map(({ nodeId, incarnation, queues }) => ({ nodeId, incarnation, queues }))
        .sort((one, other) => (one.nodeId < other.nodeId ? -1 : 1)),
    );
  }

  release(nodeId: string, incarnation: string): Promise<void> {
    const { server, nodes } = this.database;
    return server.call('nodes', 'freeing the name of a node', 'write', () => {
      const isOurs = nodes.get(nodeId)?.incarnation === incarnation;
      if (isOurs) this.database.commit([remove(nodes, nodeId)]);
    });
  }
}
