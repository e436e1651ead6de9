/**
 * Leases of reply partitions in MySQL. Only the database's clock is read, inside the statement that
 * decides, so two gateways can differ about the time and never about a slot.
 */
import type { ReplySlots } from '../../ports/reply-slots.ts';
import { dbNowMs } from './database-time.ts';
import type { MysqlPool } from './pool.ts';

/** See the port; all methods throw a Retry failure when MySQL cannot be reached. */
export class MysqlReplySlots implements ReplySlots {
  private readonly pool: MysqlPool;
  private readonly topic: string;

  /** `topic`: the reply topic whose partitions are the slots. */
  constructor(pool: MysqlPool, topic: string) {
    this.pool = pool;
    this.topic = topic;
  }

  async lease(holder: {
    readonly nodeId: string;
    readonly incarnation: string;
    readonly slotCount: number;
    readonly ttlMs: number;
  }): Promise<number | null> {
    await this.ensureRows(holder.slotCount);
    const free = await this.pool.rows(
      'looking for free reply slots',
      'SELECT slot FROM reply_slots WHERE topic = ? AND slot < ? ' +
        `AND lease_until_ms <= ${dbNowMs} ORDER BY lease_until_ms, slot`,
      [this.topic, holder.slotCount],
    );
    for (const row of free) {
      const slot = Number(row['slot']);
      // Scenario 1: two gateways saw the same free slot. The second UPDATE waits for the first and
      // then finds the lease running. Test: "gives gateways that lease at
      // once different slots".
      const taken = await this.pool.run(
        'leasing a reply slot',
        `UPDATE reply_slots SET node_id = ?, incarnation = ?, lease_until_ms = ${dbNowMs} + ? ` +
          `WHERE topic = ? AND slot = ? AND lease_until_ms <= ${dbNowMs}`,
        [holder.nodeId, holder.incarnation, holder.ttlMs, this.topic, slot],
      );
      if (taken.affected === 1) return slot;
    }
    return null;
  }

  async renew(slot: number, incarnation: string, ttlMs: number): Promise<boolean> {
    // A lease that ran out is not renewed even if nobody took it yet: its holder was silent for
    // longer than it promised, and must begin anew like anybody else.
    const renewed = await this.pool.run(
      'renewing a reply slot',
      `UPDATE reply_slots SET lease_until_ms = ${dbNowMs} + ? ` +
        `WHERE topic = ? AND slot = ? AND incarnation = ? AND lease_until_ms > ${dbNowMs}`,
      [ttlMs, this.topic, slot, incarnation],
    );
    return renewed.affected === 1;
  }

  async release(slot: number, incarnation: string): Promise<void> {
    await this.pool.run(
      'releasing a reply slot',
      "UPDATE reply_slots SET node_id = '', incarnation = '', lease_until_ms = 0 " +
        'WHERE topic = ? AND slot = ? AND incarnation = ?',
      [this.topic, slot, incarnation],
    );
  }

  private async ensureRows(slotCount: number): Promise<void> {
    const rows = await this.pool.rows(
      'counting reply slots',
      'SELECT COUNT(*) AS known FROM reply_slots WHERE topic = ? AND slot < ?',
      [this.topic, slotCount],
    );
    if (Number(rows[0]?.['known']) === slotCount) return;
    const values = Array.from({ length: slotCount }, (_, slot) => [this.topic, slot, '', '', 0]);
    await this.pool.run(
      'making reply slots',
      'INSERT INTO reply_slots (topic, slot, node_id, incarnation, lease_until_ms) VALUES ? ' +
        'ON DUPLICATE KEY UPDATE slot = VALUES(slot)',
      [values],
    );
  }
}
