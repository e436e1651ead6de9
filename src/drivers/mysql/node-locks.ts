/**
 * The name locks of cell processes, each on a connection of its own. A lock proves nothing by being held,
 * for a frozen process keeps its connection; its absence proves that the process ended, or that its
 * connection broke and it has not renewed its name since.
 */
import { nodeLockName } from '../../protocol/lock-name.ts';
import { nodeSession } from './connection-settings.ts';
import type { MysqlServerSettings } from './connection-settings.ts';
import { openNamedSession } from './lane-session.ts';
import { toFailure } from './mysql-errors.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession } from './session.ts';

/** See the file header. All methods throw a Retry failure when MySQL cannot be reached. */
export class NodeLocks {
  private readonly pool: MysqlPool;
  private readonly server: MysqlServerSettings;
  /** By incarnation: one in a process, several in tests of the contract. */
  private readonly held = new Map<string, MysqlSession>();
  private closed = false;

  constructor(pool: MysqlPool, server: MysqlServerSettings) {
    this.pool = pool;
    this.server = server;
  }

  /** The process holds its lock when this resolves, on a new connection if the old one broke. */
  async hold(incarnation: string): Promise<void> {
    const present = this.held.get(incarnation);
    try {
      if (present?.alive === true) {
        // So that the server hears of it, and a connection that broke unnoticed is found to be broken.
        await present.run('DO 1');
        return;
      }
      const name = nodeLockName(this.server.database, incarnation);
      const session = await openNamedSession(this.server, name, nodeSession);
      if (this.closed) session.destroy();
      else this.held.set(incarnation, session);
    } catch (thrown) {
      present?.destroy();
      throw toFailure(thrown, 'holding the lock of a node');
    }
  }

  /** Whether the server knows of a connection that holds it. */
  async isHeld(incarnation: string): Promise<boolean> {
    const rows = await this.pool.rows(
      'looking whether a process has ended',
      'SELECT IS_USED_LOCK(?) AS holder',
      [nodeLockName(this.server.database, incarnation)],
    );
    return (rows[0]?.['holder'] ?? null) !== null;
  }

  /** Gives it back. Never throws: the server frees it with the connection. */
  async letGo(incarnation: string): Promise<void> {
    const session = this.held.get(incarnation);
    this.held.delete(incarnation);
    await session?.end();
  }

  /** Gives all back. Idempotent. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.held.keys()].map((incarnation) => this.letGo(incarnation)));
  }
}
