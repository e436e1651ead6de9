/**
 * The outbox rows in MySQL or MariaDB. What each statement guards against stands beside it:
 * `outbox-claim.ts` for relays, `outbox-start.ts` and `outbox-finish.ts` for adapters.
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
import { claimRuns } from './outbox-claim.ts';
import type { ClaimMemory } from './outbox-claim.ts';
import { GatheredCalls } from './gathered-calls.ts';
import { finishRuns } from './outbox-finish.ts';
import type { FinishCall } from './outbox-finish.ts';
import { text } from './outbox-rows.ts';
import { SmallLook, smallLookRows } from './outbox-small-look.ts';
import { startRuns } from './outbox-start.ts';
import type { StartCall } from './outbox-start.ts';
import { giveBackRows } from './outbox-write.ts';
import type { MysqlPool } from './pool.ts';

/**
 * The store over a pool of `outboxSession`s. One per process is enough; several do no harm. `lookRows`: up to
 * so many unfinished rows a claim reads all of them at once.
 */
export function createOutboxStore(
  pool: MysqlPool,
  blocking: BlockingDestinations = [],
  lookRows = smallLookRows,
): OutboxStore {
  return new MysqlOutboxStore(pool, blocking, lookRows);
}

/**
 * Rows written together, transactions at once, and calls that wait for theirs. Two at once: one gathers
 * while the other is on its way to the disk.
 */
const gathering = { groupWeight: 1_000, groupsAtOnce: 2, waiting: 10_000 };

const everyShard = Array.from({ length: outboxShardCount }, (_, shard) => shard);

class MysqlOutboxStore implements OutboxStore {
  private readonly pool: MysqlPool;
  private readonly blocking: BlockingDestinations;
  private readonly memory: ClaimMemory;
  private readonly starts: GatheredCalls<StartCall, readonly StartedRow[]>;
  private readonly finishes: GatheredCalls<FinishCall, FinishResult>;

  constructor(pool: MysqlPool, blocking: BlockingDestinations, lookRows: number) {
    this.pool = pool;
    this.blocking = blocking;
    this.memory = { positions: new Map(), smallLook: new SmallLook(lookRows) };
    this.starts = new GatheredCalls(
      'outbox start',
      gathering,
      ({ rowIds }) => rowIds.length,
      (calls) => startRuns(pool, calls, blocking),
    );
    this.finishes = new GatheredCalls('outbox finish', gathering, rowsOf, (calls) =>
      finishRuns(pool, calls),
    );
  }

  claimRuns(request: ClaimRequest): Promise<readonly ClaimedRun[]> {
    if (request.shards.length === 0 || request.destinations.length === 0) {
      return Promise.resolve([]);
    }
    return this.sorted('outbox claim', () =>
      this.pool.withSession((session) => claimRuns(session, request, this.memory, this.blocking)),
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
    if (rowIds.length === 0) return Promise.resolve([]);
    return this.starts.ask({ claimToken, rowIds, lockUntilMs });
  }

  finish(claimToken: string, finish: RunFinish, nowMs: number): Promise<FinishResult> {
    return this.finishes.ask({ claimToken, finish, nowMs });
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

function rowsOf({ finish }: FinishCall): number {
  return finish.kind === 'delivered' ? finish.rowIds.length : finish.deliveredRowIds.length + 1;
}
