/**
 * Open voids in MySQL. The commit lane makes the rows; here they are found and ended. Nothing is
 * fenced: two nodes that void one key at once do no harm, and every mark needs an open row.
 */
import type { AppCode, CommandId, RoomId, UserId } from '../../domain/ids.ts';
import type { OpenPrize } from '../../ports/commit-lane.ts';
import type {
  ListedSettlement,
  OpenSettlement,
  SettlementStore,
} from '../../ports/settlement-store.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';
import { cutTo } from './sql-literals.ts';

/** Room of `last_error`, in characters. */
const lastErrorMax = 1_000;

const columns =
  'debit_key, app_code, room_id, command_id, payer_user_id, partition_id, reason, tries, ' +
  'next_try_at_ms, last_error, created_at_ms, prize_of, prize_coins, prize_draw_id';

/** See the port. `topic`: the commands topic, whose layout says which partitions there are. */
export class MysqlSettlementStore implements SettlementStore {
  private readonly pool: MysqlPool;
  private readonly topic: string;

  constructor(pool: MysqlPool, topic: string) {
    this.pool = pool;
    this.topic = topic;
  }

  async due(
    partitions: readonly number[],
    nowMs: number,
    limit: number,
  ): Promise<readonly OpenSettlement[]> {
    if (partitions.length === 0) return [];
    const owned = ['partition_id IN (?)'];
    const values: unknown[] = [partitions];
    const partitionCount = partitions.includes(0) ? await this.readPartitionCount() : null;
    if (partitionCount !== null) {
      owned.push('partition_id >= ?');
      values.push(partitionCount);
    }
    const rows = await this.pool.rows(
      'looking for open voids',
      `SELECT ${columns} FROM wallet_settlement WHERE status = 'open' AND ` +
        `(${owned.join(' OR ')}) AND next_try_at_ms <= ? ` +
        'ORDER BY created_at_ms, debit_key LIMIT ?',
      [...values, nowMs, limit],
    );
    return rows.map(openOf);
  }

  async settled(debitKey: string, movedCoins: bigint, nowMs: number): Promise<void> {
    await this.pool.run(
      'ending a void',
      "UPDATE wallet_settlement SET status = 'settled', refunded_coins = ?, settled_at_ms = ? " +
        "WHERE debit_key = ? AND status = 'open'",
      [movedCoins, nowMs, debitKey],
    );
  }

  async postponed(debitKey: string, error: string, nextTryAtMs: number): Promise<void> {
    await this.pool.run(
      'postponing a void',
      'UPDATE wallet_settlement SET tries = tries + 1, last_error = ?, next_try_at_ms = ? ' +
        "WHERE debit_key = ? AND status = 'open'",
      [cutTo(error, lastErrorMax), nextTryAtMs, debitKey],
    );
  }

  async listOpen(limit: number): Promise<readonly ListedSettlement[]> {
    const rows = await this.pool.rows(
      'listing open voids',
      `SELECT ${columns} FROM wallet_settlement WHERE status = 'open' ` +
        'ORDER BY created_at_ms, debit_key LIMIT ?',
      [limit],
    );
    return rows.map((row) => ({
      ...openOf(row),
      partition: Number(row['partition_id']),
      nextTryAtMs: Number(row['next_try_at_ms']),
      lastError: String(row['last_error']),
    }));
  }

  async backlog(): Promise<{ readonly open: number; readonly oldestCreatedAtMs: number | null }> {
    const rows = await this.pool.rows(
      'counting open voids',
      'SELECT COUNT(*) AS open_rows, MIN(created_at_ms) AS oldest FROM wallet_settlement ' +
        "WHERE status = 'open'",
    );
    const oldest = rows[0]?.['oldest'] ?? null;
    return {
      open: Number(rows[0]?.['open_rows'] ?? 0),
      oldestCreatedAtMs: oldest === null ? null : Number(oldest),
    };
  }

  /** Null before the first cell has stored the layout: then no row has a partition either. */
  private async readPartitionCount(): Promise<number | null> {
    const rows = await this.pool.rows(
      'reading the partition count',
      'SELECT partition_count FROM topic_layout WHERE topic = ?',
      [this.topic],
    );
    const count = rows[0]?.['partition_count'];
    return count === undefined ? null : Number(count);
  }
}

function openOf(row: Row): OpenSettlement {
  return {
    debitKey: String(row['debit_key']),
    appCode: String(row['app_code']) as AppCode,
    roomId: String(row['room_id']) as RoomId,
    commandId: String(row['command_id']) as CommandId,
    payerUserId: String(row['payer_user_id']) as UserId,
    reason: String(row['reason']),
    tries: Number(row['tries']),
    createdAtMs: Number(row['created_at_ms']),
    prize: prizeOf(row),
  };
}

function prizeOf(row: Row): OpenPrize | null {
  const of = row['prize_of'] ?? null;
  if (of === null) return null;
  const coins = BigInt(String(row['prize_coins']));
  return { debitKey: String(of), coins, drawId: String(row['prize_draw_id']) };
}
