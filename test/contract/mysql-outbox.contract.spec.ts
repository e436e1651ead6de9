/**
 * The contracts of the outbox on MySQL, what a look at a stream costs there, and what befalls calls that
 * share a transaction.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultPoolLimits, outboxSession } from '../../src/drivers/mysql/connection-settings.ts';
import type { RoomId } from '../../src/domain/ids.ts';
import { MysqlError } from '../../src/drivers/mysql/mysql-errors.ts';
import { viewStreams } from '../../src/drivers/mysql/outbox-looks.ts';
import { createOutboxStore } from '../../src/drivers/mysql/outbox-store.ts';
import { readStreams } from '../../src/drivers/mysql/outbox-streams.ts';
import { MysqlPool } from '../../src/drivers/mysql/pool.ts';
import type { Decide } from '../../src/drivers/mysql/pool.ts';
import type { MysqlSession, Statement } from '../../src/drivers/mysql/session.ts';
import { Failure } from '../../src/kernel/failure.ts';
import type { ClaimedRun, OutboxStore } from '../../src/ports/outbox-store.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import type { MysqlSpace } from '../support/mysql-space.ts';
import type { OutboxStoreFixture } from '../support/outbox-rig.ts';
import { claimOf, nowMs, outboxApp, putRows, seeRow } from '../support/outbox-rows.ts';
import { outboxBlockContract } from './suites/outbox-block-contract.ts';
import { outboxClaimContract } from './suites/outbox-claim-contract.ts';
import { outboxFinishContract } from './suites/outbox-finish-contract.ts';
import { outboxTogetherContract } from './suites/outbox-together-contract.ts';

/** `lookRows` 0: claims go through pages, as where much has gathered. */
async function mysqlFixture(lookRows?: number): Promise<OutboxStoreFixture> {
  const space = await openMysqlSpace();
  const pools: MysqlPool[] = [];
  return {
    newStore: (blocking = []) => {
      // A pool of its own, as another process has.
      const pool = new MysqlPool(space.server, outboxSession, defaultPoolLimits);
      pools.push(pool);
      return createOutboxStore(pool, blocking, lookRows);
    },
    put: (rows) => putRows(space.sql, rows),
    see: (rowId) => seeRow(space.sql, rowId),
    loseEvent: async (rowId) => {
      await space.sql(
        'DELETE FROM room_events WHERE event_id = (SELECT event_id FROM room_outbox WHERE id = ?)',
        [rowId],
      );
    },
    clear: async () => {
      await space.sql('DELETE FROM room_outbox');
      await space.sql('DELETE FROM room_events');
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.close()));
      await space.close();
    },
  };
}

for (const [name, lookRows] of [
  ['MySQL', undefined],
  ['MySQL, page by page', 0],
] as const) {
  outboxBlockContract(name, () => mysqlFixture(lookRows));
  outboxClaimContract(name, () => mysqlFixture(lookRows));
}
outboxFinishContract('MySQL', mysqlFixture);
outboxTogetherContract('MySQL', mysqlFixture);

/** Counts the looks at everything that is unfinished. */
class LookCountingPool extends MysqlPool {
  looks = 0;

  override withSession<T>(body: (session: MysqlSession) => Promise<T>): Promise<T> {
    return super.withSession((session) => {
      const counting = Object.create(session) as MysqlSession;
      counting.rows = (sql, values) => {
        if (sql.includes('AND status IN (?) LIMIT')) this.looks += 1;
        return session.rows(sql, values);
      };
      return body(counting);
    });
  }
}

describe('everything that is unfinished is seen at once on MySQL', () => {
  const lookRows = 3;
  let space: MysqlSpace;
  let pool: LookCountingPool;
  let store: OutboxStore;

  beforeEach(async () => {
    space = await openMysqlSpace();
    pool = new LookCountingPool(space.server, outboxSession, defaultPoolLimits);
    store = createOutboxStore(pool, [], lookRows);
    return async () => {
      await pool.close();
      await space.close();
    };
  });

  const put = (...rooms: string[]) =>
    putRows(
      space.sql,
      rooms.map((room) => ({ room, version: 1 })),
    );
  const claimedRooms = async (): Promise<string[]> =>
    (await store.claimRuns(claimOf())).map(({ roomId }) => roomId);

  it('while it is little, delivered rows not counted, the oldest row first', async () => {
    await putRows(space.sql, [
      ...['x', 'y', 'z'].map((room) => ({ room, version: 1, status: 'delivered' as const })),
    ]);
    await put('b', 'a');
    expect(await claimedRooms()).toEqual(['b', 'a']);
    expect(await claimedRooms()).toEqual([]);
    expect(pool.looks).toBe(2);
  });

  it('and where more has gathered nothing is left behind, and the look rests for a while', async () => {
    await put('a', 'b', 'c', 'd');
    expect((await claimedRooms()).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(pool.looks).toBe(1);
    await space.sql("UPDATE room_outbox SET status = 'delivered'");
    for (let claims = 1; claims <= 16; claims += 1) expect(await claimedRooms()).toEqual([]);
    expect(pool.looks).toBe(1);
    await put('e');
    expect(await claimedRooms()).toEqual(['e']);
    expect(pool.looks).toBe(2);
  });
});

describe('what is asked of a stream reads a few rows of it, however many it has', () => {
  const many = 3_000;
  const stream = { appCode: outboxApp, roomId: 'a' as RoomId, destination: 'im' as const };
  let space: MysqlSpace;
  let pool: MysqlPool;

  beforeAll(async () => {
    space = await openMysqlSpace();
    for (const [at, status] of ['delivered', 'failed', 'pending'].entries()) {
      await putRows(
        space.sql,
        Array.from({ length: many }, (_, row) => {
          return { room: 'a', version: at * many + row + 1, status };
        }),
      );
    }
    await space.sql('ANALYZE TABLE room_outbox');
    pool = new MysqlPool(space.server, outboxSession, { ...defaultPoolLimits, connections: 1 });
  });
  afterAll(async () => {
    await pool.close();
    await space.close();
  });

  async function rowsRead<T>(ask: () => Promise<T>): Promise<[T, number]> {
    const looks = async (): Promise<number> => {
      const rows = await pool.rows('counting', "SHOW SESSION STATUS LIKE 'Handler_read%'");
      return rows.reduce((sum, row) => sum + Number(row['Value']), 0);
    };
    const before = await looks();
    const answer = await ask();
    return [answer, (await looks()) - before];
  }
  const oldest = async (status: string): Promise<bigint> => {
    const rows = await space.sql('SELECT MIN(id) AS id FROM room_outbox WHERE status = ?', [
      status,
    ]);
    return BigInt(String(rows[0]?.['id']));
  };

  it('by reading it', async () => {
    const [views, read] = await rowsRead(() =>
      pool.withSession((session) => readStreams(session, [stream], 10, ['im'])),
    );
    expect(read).toBeLessThan(50);
    const seen = [...views.values()].flat().map(({ status }) => status);
    expect(new Set(seen)).toEqual(new Set(['failed', 'pending']));
  });

  it('by a look', async () => {
    const id = await oldest('pending');
    const row = { id, status: 'pending' as const, ...{ claimToken: '', lockUntilMs: 0 } };
    const pending = [{ ...row, nextRetryAtMs: 0, startedCount: 0 }];
    const limits = { pendingLimit: 10, blocking: [] };
    const [{ views }, read] = await rowsRead(() =>
      pool.withSession((session) => viewStreams(session, [{ stream, pending }], limits)),
    );
    expect(read).toBeLessThan(50);
    expect([...views.values()]).toEqual([pending]);
  });

  it('by a start, in front of everything and behind it', async () => {
    const store = createOutboxStore(pool, ['im']);
    const last = await oldest('pending').then((id) => id + BigInt(many) - 1n);
    for (const [id, rows] of [
      [await oldest('failed'), 1],
      [last, 0],
    ] as const) {
      await space.sql(
        "UPDATE room_outbox SET status = 'delivering', claim_token = 't' WHERE id = ?",
        [id],
      );
      const [started, read] = await rowsRead(() => store.start('t', [id], nowMs));
      expect(started).toHaveLength(rows);
      expect(read).toBeLessThan(50);
    }
  });
});

/** Loses the answers to its next COMMITs, as many as `losing` says. */
class ForgetfulPool extends MysqlPool {
  losing = 0;
  transactions = 0;

  override async twoStepTransaction<T>(
    what: string,
    reads: readonly Statement[],
    decide: Decide<T>,
  ): Promise<T> {
    this.transactions += 1;
    const answer = await super.twoStepTransaction(what, reads, decide);
    if (this.losing === 0) return answer;
    this.losing -= 1;
    throw new Failure('retry', 'UNAVAILABLE', `${what}: the answer was lost`);
  }
}

describe('starts and finishes that share a transaction on MySQL', () => {
  let space: MysqlSpace;
  let pool: ForgetfulPool;
  let store: OutboxStore;
  let runs: readonly ClaimedRun[];

  beforeAll(async () => {
    space = await openMysqlSpace();
  });
  beforeEach(async () => {
    await space.sql('DELETE FROM room_outbox');
    await space.sql('DELETE FROM room_events');
    pool = new ForgetfulPool(space.server, outboxSession, defaultPoolLimits);
    store = createOutboxStore(pool);
    const rooms = ['a', 'b', 'c', 'd', 'e', 'f'];
    await putRows(
      space.sql,
      rooms.flatMap((room) => [1, 2].map((version) => ({ room, version }))),
    );
    runs = await store.claimRuns(claimOf());
    return () => pool.close();
  });
  afterAll(() => space.close());

  const idsOf = (run: ClaimedRun): bigint[] => run.rows.map(({ rowId }) => rowId);
  const startAll = () =>
    Promise.allSettled(runs.map((run) => store.start(run.claimToken, idsOf(run), nowMs + 90_000)));
  const finishAll = () =>
    Promise.allSettled(
      runs.map((run) =>
        store.finish(run.claimToken, { kind: 'delivered', rowIds: idsOf(run) }, nowMs),
      ),
    );
  const counted = async (column: string): Promise<string[]> => {
    const rows = await space.sql(`SELECT DISTINCT ${column} AS seen FROM room_outbox`);
    return rows.map((row) => String(row['seen']));
  };

  it('six of them cost one transaction', async () => {
    await startAll();
    expect(pool.transactions).toBe(1);
    await finishAll();
    expect(pool.transactions).toBe(2);
    expect(await counted('status')).toEqual(['delivered']);
  });

  it('a COMMIT without an answer is a Retry to each, and asking again ends each once', async () => {
    pool.losing = 1;
    expect((await startAll()).map(({ status }) => status)).toEqual(runs.map(() => 'rejected'));
    const again = await startAll();
    expect(again.map((end) => (end.status === 'fulfilled' ? end.value.length : -1))).toEqual(
      runs.map(() => 2),
    );
    pool.losing = 1;
    expect((await finishAll()).map(({ status }) => status)).toEqual(runs.map(() => 'rejected'));
    const ended = await finishAll();
    expect(ended.map((end) => (end.status === 'fulfilled' ? end.value.delivered : -1))).toEqual(
      runs.map(() => 0),
    );
    expect(await counted('status')).toEqual(['delivered']);
  });

  it('a row that a frozen process holds keeps only its own run waiting', async () => {
    const held = runs[2] as ClaimedRun;
    const frozen = await space.openObserver();
    await frozen.run('START TRANSACTION');
    await frozen.run('SELECT id FROM room_outbox WHERE id = ? FOR UPDATE', [idsOf(held)[1]]);
    const ended: string[] = [];
    const calls = runs.flatMap((run) => [
      store
        .start(run.claimToken, idsOf(run), nowMs + 90_000)
        .then((rows) => ended.push(`start ${run.roomId} ${rows.length}`)),
    ]);
    const others = runs.filter((run) => run !== held);
    await Promise.all(calls.filter((_, at) => runs[at] !== held));
    await Promise.all(
      others.map((run) =>
        store.finish(run.claimToken, { kind: 'delivered', rowIds: idsOf(run) }, nowMs),
      ),
    );
    expect(ended.sort()).toEqual(others.map(({ roomId }) => `start ${roomId} 2`).sort());
    await frozen.run('ROLLBACK');
    await Promise.all(calls);
    expect(ended).toContain(`start ${held.roomId} 2`);
    expect(await counted('started_count')).toEqual(['1']);
  });

  it('a transaction that a deadlock undid is made again, and each start counts once', async () => {
    let isFirst = true;
    const run = pool.withSession.bind(pool);
    pool.withSession = (body) =>
      run(async (session) => {
        const once = Object.create(session) as MysqlSession;
        once.tryAll = async (statements) => {
          if (!isFirst || !statements.some(({ sql }) => sql.includes('started_count + 1'))) {
            return session.tryAll(statements);
          }
          isFirst = false;
          await session.run('ROLLBACK');
          const message = 'deadlock';
          const error = new MysqlError({ sort: 'deadlock', errno: 1213, key: null, message });
          return { results: [], error };
        };
        return body(once);
      });
    expect((await startAll()).map(({ status }) => status)).toEqual(runs.map(() => 'fulfilled'));
    expect(isFirst).toBe(false);
    expect(await counted('started_count')).toEqual(['1']);
  });
});
