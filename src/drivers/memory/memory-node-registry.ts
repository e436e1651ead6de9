/**
 * Memory twin of the cell nodes that live. Leases run on the server's clock; a process that lives, or is
 * frozen, has a connection with its name.
 */
import type { LivingNode, NodeClaim, NodeLook, NodeRegistry } from '../../ports/node-registry.ts';
import { put, remove, type MemoryDatabase } from './memory-database.ts';
import type { MemorySession } from './memory-session.ts';

/** See the file header. */
export class MemoryNodeRegistry implements NodeRegistry {
  private readonly database: MemoryDatabase;
  private readonly held = new Map<string, MemorySession>();

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  renew({ nodeId, incarnation, ttlMs, overdueMs, queues }: NodeClaim): Promise<NodeLook> {
    const { server, nodes } = this.database;
    return server.call('nodes', 'renewing the name of a node', 'write', () => {
      this.hold(incarnation);
      const databaseMs = server.clock.wallMs();
      const row = nodes.get(nodeId);
      const isOurs = row?.incarnation === incarnation;
      const isDead =
        row !== undefined &&
        databaseMs - row.renewedAtMs >= overdueMs &&
        server.named(nodeName(row.incarnation)) === undefined;
      if (row !== undefined && !isOurs && row.leaseUntilMs > databaseMs && !isDead) {
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
      this.held.get(incarnation)?.end();
      this.held.delete(incarnation);
    });
  }

  private hold(incarnation: string): void {
    if (this.held.get(incarnation)?.alive === true) return;
    const session = this.database.server.connect();
    this.database.server.takeName(session, nodeName(incarnation));
    this.held.set(incarnation, session);
  }
}

/** By which the connection of a cell's process is found. */
export function nodeName(incarnation: string): string {
  return `node ${incarnation}`;
}
