/**
 * The outbox rows in MySQL or MariaDB. What each statement guards against stands beside it:
 * `outbox-claim.ts` for relays, `outbox-finish.ts` for adapters.
 */
import type {
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
export function createOutboxStore(pool: MysqlPool): OutboxStore {
  return new MysqlOutboxStore(pool);
}

class MysqlOutboxStore implements OutboxStore {
  private readonly pool: MysqlPool;
  private readonly positions: ScanPositions = new Map();

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  claimRuns(request: ClaimRequest): Promise<readonly ClaimedRun[]> {
    if (request.shards.length === 0 || request.destinations.length === 0) {
      return Promise.resolve([]);
    }
    return this.sorted('outbox claim', () =>
      this.pool.withSession((session) => claimRuns(session, request, this.positions)),
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
    return startRows(this.pool, claimToken, rowIds, lockUntilMs);
  }

  finish(claimToken: string, finish: RunFinish, nowMs: number): Promise<FinishResult> {
    return finishRows(this.pool, claimToken, finish, nowMs);
  }

  async backlog(): ReturnType<OutboxStore['backlog']> {
    const shards = Array.from({ length: outboxShardCount }, (_, shard) => shard);
    const rows = await this.pool.rows(
      'outbox backlog',
      "SELECT destination, SUM(status <> 'failed') AS unfinished, SUM(status = 'failed') AS failed " +
        'FROM room_outbox FORCE INDEX (by_shard) WHERE shard IN (?) ' +
        "AND status IN ('pending', 'retryable', 'delivering', 'failed') GROUP BY destination",
      [shards],
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
