/**
 * The cell nodes that live, in MySQL. A row says who has which name and until when; a name lock says that
 * the process behind the row lives: the server frees it in the moment in which the process dies, and keeps
 * it while the process is frozen.
 */
import { assertDefined } from '../../kernel/assert.ts';
import type {
  LivingNode,
  NameHolder,
  NodeClaim,
  NodeLook,
  NodeRegistry,
} from '../../ports/node-registry.ts';
import { dbNowMs } from './database-time.ts';
import type { NodeLocks } from './node-locks.ts';
import type { MysqlPool } from './pool.ts';

/** See the port. */
export class MysqlNodeRegistry implements NodeRegistry {
  private readonly pool: MysqlPool;
  private readonly locks: NodeLocks;
  private readonly topic: string;

  /** `topic`: of the commands, whose cells have names of their own. */
  constructor(pool: MysqlPool, locks: NodeLocks, topic: string) {
    this.pool = pool;
    this.locks = locks;
    this.topic = topic;
  }

  /**
   * One statement decides, and MySQL assigns from left to right: the columns above `incarnation` see
   * whose the name was, `lease_until_ms` sees whose it is. The read behind it only tells.
   */
  async renew(claim: NodeClaim): Promise<NodeLook> {
    const { nodeId, incarnation, ttlMs, queues } = claim;
    // Before the row: whoever finds the row and no lock must be right to call the process dead.
    await this.locks.hold(incarnation);
    const isOver = `lease_until_ms <= ${dbNowMs}`;
    const isOurs = 'incarnation = VALUES(incarnation)';
    await this.pool.run(
      'renewing the name of a node',
      'INSERT INTO cell_nodes (topic, node_id, incarnation, renewed_at_ms, lease_until_ms, ' +
        `queues) VALUES (?, ?, ?, ${dbNowMs}, ${dbNowMs} + ?, ?) ON DUPLICATE KEY UPDATE ` +
        `drain_asked_by = IF(NOT ${isOurs} AND ${isOver}, '', drain_asked_by), ` +
        `queues = IF(${isOurs} OR ${isOver}, VALUES(queues), queues), ` +
        `renewed_at_ms = IF(${isOurs} OR ${isOver}, ${dbNowMs}, renewed_at_ms), ` +
        `incarnation = IF(${isOver}, VALUES(incarnation), incarnation), ` +
        `lease_until_ms = IF(${isOurs}, ${dbNowMs} + ?, lease_until_ms)`,
      [this.topic, nodeId, incarnation, ttlMs, textOf(queues), ttlMs],
    );
    const rows = await this.pool.rows(
      'reading who has the name of a node',
      `SELECT ${dbNowMs} AS now_ms, incarnation, renewed_at_ms, drain_asked_by FROM (SELECT 1) one ` +
        'LEFT JOIN cell_nodes ON topic = ? AND node_id = ?',
      [this.topic, nodeId],
    );
    const row = assertDefined(rows[0], 'a statement without a table has a row');
    const databaseMs = Number(row['now_ms']);
    // Its holder freed it between the two statements: nobody has it.
    if (row['incarnation'] === null) return this.renew(claim);
    const holder = String(row['incarnation']);
    if (holder === incarnation) {
      return { databaseMs, heldBy: null, drainAskedBy: String(row['drain_asked_by']) };
    }
    const heldBy = { incarnation: holder, renewedAtMs: Number(row['renewed_at_ms']) };
    const isOverdue = databaseMs - heldBy.renewedAtMs >= claim.overdueMs;
    if (isOverdue && (await this.freeOfDead(nodeId, heldBy))) return this.renew(claim);
    return { databaseMs, heldBy, drainAskedBy: '' };
  }

  /**
   * Frees the name of a process that has ended; whether it was freed.
   *
   * Scenario: the holder lives, and only its connection broke, or a server that was restarted forgot all
   * locks. It takes its lock again with its next renewal. Should that fall between our look and the DELETE,
   * the row was renewed since, and nothing is deleted. Should it come behind the DELETE, the holder finds
   * the name taken and ends: it was silent for longer than a renewal takes, with a second process at the
   * door. Test: "the name of a process whose connection broke is not taken when …".
   */
  private async freeOfDead(nodeId: string, holder: NameHolder): Promise<boolean> {
    if (await this.locks.isHeld(holder.incarnation)) return false;
    const { affected } = await this.pool.run(
      'freeing the name of a node that has ended',
      'DELETE FROM cell_nodes WHERE topic = ? AND node_id = ? AND incarnation = ? ' +
        'AND renewed_at_ms = ?',
      [this.topic, nodeId, holder.incarnation, holder.renewedAtMs],
    );
    return affected > 0;
  }

  async living(): Promise<readonly LivingNode[]> {
    const rows = await this.pool.rows(
      'reading the nodes that live',
      'SELECT node_id, incarnation, queues FROM cell_nodes ' +
        `WHERE topic = ? AND lease_until_ms > ${dbNowMs} ORDER BY node_id`,
      [this.topic],
    );
    return rows.map((row) => ({
      nodeId: String(row['node_id']),
      incarnation: String(row['incarnation']),
      queues: queuesIn(String(row['queues'])),
    }));
  }

  async release(nodeId: string, incarnation: string): Promise<void> {
    await this.pool.run(
      'freeing the name of a node',
      'DELETE FROM cell_nodes WHERE topic = ? AND node_id = ? AND incarnation = ?',
      [this.topic, nodeId, incarnation],
    );
    await this.locks.letGo(incarnation);
  }
}

/** `partition:records`, with commas between. */
function textOf(queues: ReadonlyMap<number, number>): string {
  return [...queues].map(([partition, records]) => `${partition}:${records}`).join(',');
}

function queuesIn(text: string): ReadonlyMap<number, number> {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split(':').map(Number));
  return new Map(pairs.map(([partition = 0, records = 0]) => [partition, records]));
}
