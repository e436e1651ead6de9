/**
 * The outbox rows in MySQL or MariaDB. What each statement guards against stands beside it:
 * `outbox-claim.ts` for relays, `outbox-finish.ts` for adapters.
 */
import type {
  BlockingDestinations,
  ClaimedRun,
  ClaimRequest,
  FinishResult,
  OutboxStore,
  RunFinish,
  StartedRow,
} from '../../ports/outbox-store.ts';
import type { Destination } from '../../protocol/topics.ts';
import { outboxShardCount } from '../../protocol/outbox-shard.ts';
import { toFailure } from './mysql-errors.ts';
import type { ScanPositions } from './outbox-candidates.ts';
import { claimRuns } from './outbox-claim.ts';
import { finishRows, startRows } from './outbox-finish.ts';
import { text } from './outbox-rows.ts';
import { giveBackRows } from './outbox-write.ts';
import type { MysqlPool } from './pool.ts';

/** The store over a pool. One per process is enough; several do no harm. */
export function createOutboxStore(
  pool: MysqlPool,
  blocking: BlockingDestinations = [],
): OutboxStore {
  return new MysqlOutboxStore(pool, blocking);
}

const everyShard = Array.from({ length: outboxShardCount }, (_, shard) => shard);

class MysqlOutboxStore implements OutboxStore {
  private readonly pool: MysqlPool;
  private readonly blocking: BlockingDestinations;
  private readonly positions: ScanPositions = new Map();

  constructor(pool: MysqlPool, blocking: BlockingDestinations) {
    this.pool = pool;
    this.blocking = blocking;
  }

  claimRuns(request: ClaimRequest): Promise<readonly ClaimedRun[]> {
    if (request.shards.length === 0 || request.destinations.length === 0) {
      return Promise.resolve([]);
    }
    return this.sorted('outbox claim', () =>
      this.pool.withSession((session) =>
        claimRuns(session, request, this.positions, this.blocking),
      ),
    );
  }

  async giveBack(claimToken: string, rowIds: readonly bigint[]): Promise<void> {
    if (rowIds.length === 0) return;
    await this.sorted('outbox give back', () =>
      this.pool.withSession((session) => giveBackRows(session, claimToken, rowIds)),
    );
  }

  start(
    claimToken: string,
    rowIds: readonly bigint[],
    lockUntilMs: number,
  ): Promise<readonly StartedRow[]> {
    return startRows(this.pool, claimToken, rowIds, lockUntilMs, this.blocking);
  }

  finish(claimToken: string, finish: RunFinish, nowMs: number): Promise<FinishResult> {
    return finishRows(this.pool, claimToken, finish, nowMs);
  }

  async blockedRooms(): ReturnType<OutboxStore['blockedRooms']> {
    if (this.blocking.length === 0) return [];
    const rows = await this.pool.rows(
      'counting blocked rooms',
      'SELECT destination, COUNT(DISTINCT app_code, room_id) AS rooms ' +
        'FROM room_outbox FORCE INDEX (by_shard) WHERE shard IN (?) ' +
        "AND status = 'failed' AND destination IN (?) GROUP BY destination",
      [everyShard, [...this.blocking]],
    );
    const rooms = new Map(rows.map((row) => [text(row['destination']), Number(row['rooms'])]));
    return this.blocking.map((destination) => {
      return { destination, rooms: rooms.get(destination) ?? 0 };
    });
  }

  async backlog(): ReturnType<OutboxStore['backlog']> {
    const rows = await this.pool.rows(
      'outbox backlog',
      "SELECT destination, SUM(status <> 'failed') AS unfinished, SUM(status = 'failed') AS failed " +
        'FROM room_outbox FORCE INDEX (by_shard) WHERE shard IN (?) ' +
        "AND status IN ('pending', 'retryable', 'delivering', 'failed') GROUP BY destination",
      [everyShard],
    );
    return rows.map((row) => ({
      destination: text(row['destination']) as Destination,
      unfinished: Number(row['unfinished']),
      failed: Number(row['failed']),
    }));
  }

  private async sorted<T>(what: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      throw toFailure(thrown, what);
    }
  }
}
