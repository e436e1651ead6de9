/** Partitions that stand still, in MySQL. */
import type { UserId } from '../../domain/ids.ts';
import type {
  PartitionStop,
  PartitionStops,
  PartitionStopState,
  StopAcceptance,
  StopChoice,
  StopOwner,
  StopResolution,
  StoppedPartition,
} from '../../ports/partition-stops.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';

/** See the port. */
export class MysqlPartitionStops implements PartitionStops {
  private readonly pool: MysqlPool;
  private readonly topic: string;

  constructor(pool: MysqlPool, topic: string) {
    this.pool = pool;
    this.topic = topic;
  }

  /**
   * The owner row is held until the note is there: a takeover comes before both or behind both. What an
   * operator said about another stop goes first: the columns that tell the stops apart are assigned
   * behind it, since MySQL assigns from left to right.
   */
  note(
    stop: PartitionStop & StopOwner & { readonly ownerNodeId: string },
    nowMs: number,
  ): Promise<boolean> {
    const forgets = (column: string, nothing: string): string =>
      `${column} = IF(state = VALUES(state) AND expected_offset = VALUES(expected_offset), ` +
      `${column}, ${nothing})`;
    const takes = (column: string): string => `${column} = VALUES(${column})`;
    return this.pool.transaction('noting a partition that stands still', async (session) => {
      const owned = await session.rows(
        'SELECT 1 FROM partition_owner WHERE topic = ? AND partition_id = ? AND epoch = ? ' +
          'AND incarnation = ? FOR UPDATE',
        [this.topic, stop.partition, stop.epoch, stop.incarnation],
      );
      if (owned.length === 0) return false;
      await session.run(
        'INSERT INTO partition_stops (topic, partition_id, state, expected_offset, ' +
          'log_start_offset, log_end_offset, committed_offset, epoch, owner_node_id, ' +
          'stopped_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE ' +
          [
            forgets('accepted_choice', 'NULL'),
            forgets('accepted_replay', '-1'),
            forgets('accepted_by', 'NULL'),
            forgets('accepted_at_ms', '0'),
            ...['state', 'expected_offset', 'log_start_offset', 'log_end_offset'].map(takes),
            ...['committed_offset', 'owner_node_id', 'stopped_at_ms', 'epoch'].map(takes),
          ].join(', '),
        [
          ...[this.topic, stop.partition, stop.state, stop.expectedOffset],
          ...[stop.logStartOffset, stop.logEndOffset, stop.committedOffset],
          ...[stop.epoch, stop.ownerNodeId, nowMs],
        ],
      );
      return true;
    });
  }

  async read(): Promise<readonly StoppedPartition[]> {
    const rows = await this.pool.rows(
      'reading the partitions that stand still',
      'SELECT partition_id, state, expected_offset, log_start_offset, log_end_offset, ' +
        'committed_offset, epoch, owner_node_id, stopped_at_ms, accepted_choice, ' +
        'accepted_replay, accepted_by, accepted_at_ms FROM partition_stops WHERE topic = ? ' +
        'ORDER BY partition_id',
      [this.topic],
    );
    return rows.map(stoppedOf);
  }

  async resolve(owner: StopOwner, how: StopResolution, nowMs: number): Promise<boolean> {
    const { partition, epoch, incarnation } = owner;
    return this.pool.transaction('going on after a stop', async (session) => {
      // The count of commits changes too, so that a row which matched counts as changed.
      const moved = await session.run(
        'UPDATE partition_owner SET applied_offset = ?, applied_record_ms = NULL, ' +
          'offsets_since_epoch = IF(?, epoch, offsets_since_epoch), accepted_hint = ?, ' +
          'replay_until = ?, commit_seq = commit_seq + 1, updated_at_ms = ? ' +
          'WHERE topic = ? AND partition_id = ? AND epoch = ? AND incarnation = ?',
        [
          ...[how.appliedOffset, how.isRenumbered ? 1 : 0, how.acceptedHint, how.replayUntil],
          ...[nowMs, this.topic, partition, epoch, incarnation],
        ],
      );
      if (moved.affected === 0) return false;
      const passed = how.isRenumbered ? '' : ' AND kafka_offset <= ?';
      await session.run(
        `DELETE FROM partition_settled WHERE topic = ? AND partition_id = ?${passed}`,
        [this.topic, partition, ...(how.isRenumbered ? [] : [how.appliedOffset])],
      );
      await session.run('DELETE FROM partition_stops WHERE topic = ? AND partition_id = ?', [
        this.topic,
        partition,
      ]);
      return true;
    });
  }

  async clear({ partition, epoch }: StopOwner): Promise<void> {
    await this.pool.run(
      'taking the note of a stop away',
      'DELETE FROM partition_stops WHERE topic = ? AND partition_id = ? AND epoch <= ?',
      [this.topic, partition, epoch],
    );
  }
}

function stoppedOf(row: Row): StoppedPartition {
  return {
    partition: Number(row['partition_id']),
    state: String(row['state']) as PartitionStopState,
    expectedOffset: BigInt(String(row['expected_offset'])),
    logStartOffset: BigInt(String(row['log_start_offset'])),
    logEndOffset: BigInt(String(row['log_end_offset'])),
    committedOffset: BigInt(String(row['committed_offset'])),
    epoch: BigInt(String(row['epoch'])),
    ownerNodeId: String(row['owner_node_id']),
    stoppedAtMs: Number(row['stopped_at_ms']),
    acceptance: acceptanceOf(row),
  };
}

function acceptanceOf(row: Row): StopAcceptance | null {
  if (row['accepted_choice'] === null) return null;
  return {
    choice: String(row['accepted_choice']) as StopChoice,
    replayUntil: BigInt(String(row['accepted_replay'])),
    operatorId: String(row['accepted_by']) as UserId,
    acceptedAtMs: Number(row['accepted_at_ms']),
  };
}
