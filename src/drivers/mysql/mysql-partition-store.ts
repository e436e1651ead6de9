/** Ownership of partitions on MySQL; the takeover itself is in `takeover.ts`. */
import { Failure } from '../../kernel/failure.ts';
import type {
  OwnerRow,
  PartitionStore,
  TakenPartition,
  TakeoverRequest,
  TopicLayout,
  TriedRecord,
} from '../../ports/partition-store.ts';
import { toFailure } from './mysql-errors.ts';
import type { MysqlPool } from './pool.ts';
import { raiseEpoch } from './takeover.ts';
import type { RaisedEpoch, TakeoverPlace } from './takeover.ts';
import type { MysqlSession, Row } from './session.ts';

const ownerColumns =
  'partition_id, epoch, owner_node_id, incarnation, lane, advertise_addr, applied_offset, ' +
  'commit_seq, released, updated_at_ms';

/**
 * See the port. Beside Retry, `takeover` throws Fenced `NOT_OWNER` when another node took the
 * partition in the moment after: the caller owns nothing then.
 */
export class MysqlPartitionStore implements PartitionStore {
  private readonly pool: MysqlPool;
  private readonly takeovers: MysqlPool;
  private readonly place: TakeoverPlace;

  /** `takeovers`: a pool of its own with the shortest lock wait. */
  constructor(pool: MysqlPool, takeovers: MysqlPool, place: TakeoverPlace) {
    this.pool = pool;
    this.takeovers = takeovers;
    this.place = place;
  }

  async ensureLayout(layout: TopicLayout): Promise<TopicLayout> {
    const read = async (): Promise<TopicLayout | null> => {
      const rows = await this.pool.rows(
        'reading the topic layout',
        'SELECT topic, partition_count, hash_name FROM topic_layout WHERE topic = ?',
        [layout.topic],
      );
      return rows[0] === undefined ? null : layoutOf(rows[0]);
    };
    const stored = await read();
    if (stored !== null) return stored;
    // The first one wins; the others' rows are dropped and they read what won.
    await this.pool.run(
      'storing the topic layout',
      'INSERT INTO topic_layout (topic, partition_count, hash_name, created_at_ms) ' +
        'VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE topic = VALUES(topic)',
      [layout.topic, layout.partitionCount, layout.hash, Date.now()],
    );
    return (await read()) ?? layout;
  }

  async readOwners(): Promise<readonly OwnerRow[]> {
    const rows = await this.pool.rows(
      'reading the partition owners',
      `SELECT ${ownerColumns} FROM partition_owner WHERE topic = ? ORDER BY partition_id`,
      [this.place.topic],
    );
    return rows.map(ownerRowOf);
  }

  async readOwner(partition: number): Promise<OwnerRow | null> {
    const rows = await this.pool.rows(
      'reading a partition owner',
      `SELECT ${ownerColumns} FROM partition_owner WHERE topic = ? AND partition_id = ?`,
      [this.place.topic, partition],
    );
    return rows[0] === undefined ? null : ownerRowOf(rows[0]);
  }

  async takeover(request: TakeoverRequest): Promise<TakenPartition> {
    const what = `taking partition ${request.partition} over`;
    try {
      return await this.takeovers.withSession(async (session) => {
        const raised = await raiseEpoch(session, this.place, request);
        return await this.readTaken(session, request, raised);
      });
    } catch (thrown) {
      throw toFailure(thrown, what);
    }
  }

  async noteTry(
    partition: number,
    epoch: bigint,
    incarnation: string,
    tried: TriedRecord,
  ): Promise<boolean> {
    const answer = await this.pool.run(
      'noting a try',
      'UPDATE partition_owner SET trying_offset = ?, tries = ?, updated_at_ms = ? ' +
        'WHERE topic = ? AND partition_id = ? AND epoch = ? AND incarnation = ?',
      [tried.offset, tried.tries, Date.now(), this.place.topic, partition, epoch, incarnation],
    );
    return answer.affected > 0;
  }

  async release(partition: number, epoch: bigint, incarnation: string): Promise<void> {
    await this.pool.run(
      'releasing a partition',
      'UPDATE partition_owner SET released = 1, updated_at_ms = ? ' +
        'WHERE topic = ? AND partition_id = ? AND epoch = ? AND incarnation = ?',
      [Date.now(), this.place.topic, partition, epoch, incarnation],
    );
  }

  /**
   * From the UPDATE on nobody but us can move `applied_offset`, unless a later takeover came; then
   * the epoch differs and what we read is not ours to start from.
   */
  private async readTaken(
    session: MysqlSession,
    request: TakeoverRequest,
    raised: RaisedEpoch,
  ): Promise<TakenPartition> {
    const { partition } = request;
    const rows = await session.rows(
      'SELECT applied_offset, stalled_takeovers, trying_offset, tries, offsets_since_epoch, ' +
        'applied_record_ms, accepted_hint, replay_until FROM partition_owner ' +
        'WHERE topic = ? AND partition_id = ? AND epoch = ? AND incarnation = ?',
      [this.place.topic, partition, raised.epoch, request.incarnation],
    );
    const row = rows[0];
    if (row === undefined) {
      const message = `Partition ${partition} was taken over by another node right after us.`;
      throw new Failure('fenced', 'NOT_OWNER', message);
    }
    const appliedOffset = BigInt(String(row['applied_offset']));
    const settledOffsets = await this.readSettled(session, row, partition, appliedOffset);
    return {
      partition,
      ...raised,
      appliedOffset,
      settledOffsets,
      stalledTakeovers: Number(row['stalled_takeovers']),
      tried: triedOf(row),
      appliedRecordMs: row['applied_record_ms'] === null ? null : Number(row['applied_record_ms']),
      acceptedHint: BigInt(String(row['accepted_hint'])),
      replayUntil: BigInt(String(row['replay_until'])),
    };
  }

  /** Offsets in log rows of an earlier log under the topic's name say nothing about this one. */
  private async readSettled(
    session: MysqlSession,
    { offsets_since_epoch: sinceEpoch }: Row,
    partition: number,
    appliedOffset: bigint,
  ): Promise<readonly bigint[]> {
    const rows = await session.rows(
      'SELECT kafka_offset FROM partition_settled ' +
        'WHERE topic = ? AND partition_id = ? AND kafka_offset > ? ' +
        'UNION SELECT kafka_offset FROM room_command_log ' +
        'WHERE topic = ? AND partition_id = ? AND kafka_offset > ? AND epoch >= ? ' +
        'ORDER BY kafka_offset',
      [
        ...[this.place.topic, partition, appliedOffset],
        ...[this.place.topic, partition, appliedOffset, sinceEpoch],
      ],
    );
    return rows.map((row) => BigInt(String(row['kafka_offset'])));
  }
}

function layoutOf(row: Row): TopicLayout {
  const hash = String(row['hash_name']);
  if (hash !== 'murmur2') {
    // Routing keys by another hash would write rooms to partitions that do not own them.
    throw new Failure('corrupt', 'INTERNAL', `topic_layout names the unknown hash ${hash}`);
  }
  return {
    topic: String(row['topic']),
    partitionCount: Number(row['partition_count']),
    hash,
  };
}

function triedOf(row: Row): TriedRecord | null {
  if (row['trying_offset'] === null) return null;
  return { offset: BigInt(String(row['trying_offset'])), tries: Number(row['tries']) };
}

function ownerRowOf(row: Row): OwnerRow {
  return {
    partition: Number(row['partition_id']),
    epoch: BigInt(String(row['epoch'])),
    ownerNodeId: String(row['owner_node_id']),
    incarnation: String(row['incarnation']),
    lane: Number(row['lane']),
    advertiseAddr: String(row['advertise_addr']),
    appliedOffset: BigInt(String(row['applied_offset'])),
    commitSeq: BigInt(String(row['commit_seq'])),
    released: Number(row['released']) === 1,
    updatedAtMs: Number(row['updated_at_ms']),
  };
}
