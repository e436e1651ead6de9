/**
 * The numbered races of the outbox's claim, step by step: a relay is stopped in front of a named
 * statement while another one acts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  defaultPoolLimits,
  outboxSession,
} from '../../../../src/drivers/mysql/connection-settings.ts';
import { createOutboxStore } from '../../../../src/drivers/mysql/outbox-store.ts';
import { MysqlPool } from '../../../../src/drivers/mysql/pool.ts';
import type { MysqlSession } from '../../../../src/drivers/mysql/session.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import type { Deferred } from '../../../../src/kernel/deferred.ts';
import { failureAt } from '../../../support/outbox-rig.ts';
import { claimOf, nowMs, putRows, seeRow, shownRuns } from '../../../support/outbox-rows.ts';
import { openMysqlSpace } from '../../../support/mysql-space.ts';
import type { MysqlSpace } from '../../../support/mysql-space.ts';

/** The statement in front of which a relay is stopped. */
const claimingUpdate = /^UPDATE room_outbox .*claim_token = ELT/s;
const streamLook = /^SELECT h\.id, h\.status/;
const everything = /FORCE INDEX \(by_shard\) WHERE shard IN \(\?\) AND status IN \(\?\) LIMIT/;

/**
 * A pool whose sessions stop once before the n-th statement that matches. Packets are taken apart, since
 * between two of their statements others may act as well.
 */
class StoppingPool extends MysqlPool {
  readonly reached: Deferred<void> = createDeferred<void>();
  readonly goOn: Deferred<void> = createDeferred<void>();
  readonly statements: string[] = [];
  /** Ids of the rows that each claiming UPDATE names. */
  readonly claimed: (readonly bigint[])[] = [];
  private left: number;
  private readonly before: RegExp;

  constructor(space: MysqlSpace, before: RegExp, nth: number) {
    super(space.server, outboxSession, defaultPoolLimits);
    this.before = before;
    this.left = nth;
  }

  override withSession<T>(body: (session: MysqlSession) => Promise<T>): Promise<T> {
    return super.withSession((session) => {
      const stopping = Object.create(session) as MysqlSession;
      stopping.run = async (sql, values, limitMs) => {
        await this.stopBefore(sql);
        if (claimingUpdate.test(sql)) this.claimed.push((values ?? [])[1] as readonly bigint[]);
        return session.run(sql, values, limitMs);
      };
      stopping.rows = async (sql, values) => {
        await this.stopBefore(sql);
        return session.rows(sql, values);
      };
      stopping.runAll = async (statements) => {
        const results = [];
        for (const { sql, values } of statements) results.push(await stopping.run(sql, values));
        return results;
      };
      return body(stopping);
    });
  }

  private async stopBefore(sql: string): Promise<void> {
    this.statements.push(sql);
    if (!this.before.test(sql)) return;
    this.left -= 1;
    if (this.left !== 0) return;
    this.reached.resolve();
    await this.goOn.promise;
  }
}

/** Up to so many rows a claim looks at everything at once, and at streams only once it has their heads. */
const ways = [
  { way: 'which sees everything at once', lookRows: 500, secondLook: 1 },
  { way: 'which goes through pages', lookRows: 0, secondLook: 2 },
];

describe.each(ways)('races of the outbox on MySQL, $way', ({ lookRows, secondLook }) => {
  let space: MysqlSpace;
  let plainPool: MysqlPool;
  let pools: MysqlPool[] = [];

  beforeAll(async () => {
    space = await openMysqlSpace();
    plainPool = new MysqlPool(space.server, outboxSession, defaultPoolLimits);
    pools = [plainPool];
  });
  beforeEach(async () => {
    await space.sql('DELETE FROM room_outbox');
    await space.sql('DELETE FROM room_events');
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await space.close();
  });

  const stoppingAt = (before: RegExp, nth = 1): StoppingPool => {
    const pool = new StoppingPool(space, before, nth);
    pools = [...pools, pool];
    return pool;
  };
  const storeOn = (pool: MysqlPool) => createOutboxStore(pool, [], lookRows);
  const plainStore = () => storeOn(plainPool);
  const rowsOf = (...versions: number[]) =>
    putRows(
      space.sql,
      versions.map((version) => ({ room: 'a', version })),
    );
  const replay = (rowId: bigint) =>
    space.sql("UPDATE room_outbox SET status = 'pending' WHERE id = ? AND status = 'failed'", [
      rowId,
    ]);

  it('two relays that plan the same head: one gets the run, the other nothing (OUT-1, OUT-9)', async () => {
    const ids = await rowsOf(1, 2);
    const slow = stoppingAt(claimingUpdate);
    const claimed = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    ids.push(...(await rowsOf(3)));
    const quick = await plainStore().claimRuns(claimOf());
    slow.goOn.resolve();
    expect(shownRuns(quick)).toEqual(['a/im: 1,2,3']);
    expect(await claimed).toEqual([]);
    for (const id of ids) {
      const { claimToken } = await seeRow(space.sql, id);
      expect(claimToken).toBe(quick[0]?.claimToken);
    }
  });

  it('a relay that saw less than the winner gets no part of the room', async () => {
    await rowsOf(1, 2, 3);
    const slow = stoppingAt(claimingUpdate);
    const claimed = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    const quick = await plainStore().claimRuns(claimOf({ runSize: 2 }));
    slow.goOn.resolve();
    expect(shownRuns(quick)).toEqual(['a/im: 1,2']);
    expect(await claimed).toEqual([]);
  });

  it('a late start between plan and claim keeps the run with its adapter', async () => {
    const ids = await rowsOf(1, 2);
    const [first] = await plainStore().claimRuns(claimOf());
    const expired = claimOf({ nowMs: nowMs + 60_000 });
    const slow = stoppingAt(claimingUpdate);
    const claimed = storeOn(slow).claimRuns(expired);
    await slow.reached.promise;
    const started = await plainStore().start(first?.claimToken ?? '', ids, nowMs + 120_000);
    slow.goOn.resolve();
    expect(started).toHaveLength(2);
    expect(await claimed).toEqual([]);
    for (const id of ids) {
      expect(await seeRow(space.sql, id)).toMatchObject({
        claimToken: first?.claimToken,
        lockUntilMs: nowMs + 120_000,
      });
    }
  });

  it('a late start of the rows behind the head keeps the head from a second run', async () => {
    const ids = await rowsOf(1, 2, 3);
    const [first] = await plainStore().claimRuns(claimOf());
    const slow = stoppingAt(claimingUpdate);
    const claimed = storeOn(slow).claimRuns(claimOf({ nowMs: nowMs + 60_000 }));
    await slow.reached.promise;
    await plainStore().start(first?.claimToken ?? '', ids.slice(1), nowMs + 120_000);
    slow.goOn.resolve();
    expect(await claimed).toEqual([]);
    expect((await seeRow(space.sql, ids[0] as bigint)).status).toBe('pending');
  });

  it('a row that moves between states is never passed over', async () => {
    // The adapter's failure falls in front of the first, second, third … statement of the relay.
    for (let nth = 1; ; nth += 1) {
      await space.sql('DELETE FROM room_outbox');
      await space.sql('DELETE FROM room_events');
      const [one] = (await rowsOf(1, 2)) as [bigint, bigint];
      const [run] = await plainStore().claimRuns(claimOf({ runSize: 1 }));
      const slow = stoppingAt(/^/, nth);
      const claimed = storeOn(slow).claimRuns(claimOf());
      const isOver = await Promise.race([
        slow.reached.promise.then(() => false),
        claimed.then(() => true),
      ]);
      if (isOver) {
        expect(nth).toBeGreaterThan(lookRows > 0 ? 1 : 2);
        return;
      }
      await plainStore().finish(run?.claimToken ?? '', failureAt(one), nowMs);
      slow.goOn.resolve();
      expect(shownRuns(await claimed), `before statement ${nth}`).toEqual([]);
      // Not even for a moment: the second look would give row 2 back, but nobody should need it.
      expect(slow.statements.filter((sql) => claimingUpdate.test(sql))).toEqual([]);
    }
  });

  it('a row that moves behind its expired lock is never passed over either', async () => {
    for (let nth = 1; ; nth += 1) {
      await space.sql('DELETE FROM room_outbox');
      await space.sql('DELETE FROM room_events');
      const [one] = (await rowsOf(1, 2)) as [bigint, bigint];
      const [run] = await plainStore().claimRuns(claimOf({ runSize: 1 }));
      const slow = stoppingAt(/^/, nth);
      const claimed = storeOn(slow).claimRuns(claimOf({ nowMs: nowMs + 60_000 }));
      const isOver = await Promise.race([
        slow.reached.promise.then(() => false),
        claimed.then(() => true),
      ]);
      if (isOver) {
        expect(nth).toBeGreaterThan(lookRows > 0 ? 3 : 5);
        return;
      }
      const failure = failureAt(one, { nextRetryAtMs: nowMs + 120_000 });
      await plainStore().finish(run?.claimToken ?? '', failure, nowMs);
      slow.goOn.resolve();
      await claimed;
      // Whoever claims the stream at all begins with row 1.
      expect(slow.claimed[0] ?? [one], `before statement ${nth}`).toEqual([one]);
    }
  });

  it('a replayed older row: whoever claims second gives its own back', async () => {
    const [one, two] = (await putRows(space.sql, [
      { room: 'a', version: 1, status: 'failed' },
      { room: 'a', version: 2 },
    ])) as [bigint, bigint];
    // S has planned the head 2 …
    const slow = stoppingAt(claimingUpdate);
    const bySlow = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    await replay(one);
    // … R claims the head 1 and stops before its second look …
    const other = stoppingAt(streamLook, secondLook);
    const byOther = storeOn(other).claimRuns(claimOf({ runSize: 1 }));
    await other.reached.promise;
    // … S claims 2 and sees that 1 is under way.
    slow.goOn.resolve();
    expect(await bySlow).toEqual([]);
    expect((await seeRow(space.sql, two)).status).toBe('pending');
    other.goOn.resolve();
    expect(shownRuns(await byOther)).toEqual(['a/im: 1']);
  });

  it('two relays that see each other both give back, and the next round has one head', async () => {
    const [one, two] = (await putRows(space.sql, [
      { room: 'a', version: 1, status: 'failed' },
      { room: 'a', version: 2 },
    ])) as [bigint, bigint];
    const slow = stoppingAt(streamLook, secondLook);
    const bySlow = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    await replay(one);
    // Row 2 is claimed by S already: R finds the room under way and leaves row 1 alone.
    expect(await plainStore().claimRuns(claimOf())).toEqual([]);
    // The same with R having looked before S claimed: its head is put there by hand.
    await space.sql(
      "UPDATE room_outbox SET status = 'delivering', claim_token = 'r', lock_until_ms = ? " +
        'WHERE id = ?',
      [nowMs + 60_000, one],
    );
    slow.goOn.resolve();
    expect(await bySlow).toEqual([]);
    expect((await seeRow(space.sql, two)).status).toBe('pending');
    await plainStore().giveBack('r', [one]);
    expect(shownRuns(await plainStore().claimRuns(claimOf()))).toEqual(['a/im: 1,2']);
  });

  it('a row that is put back before its stream is looked at goes first', async () => {
    const [one] = (await putRows(space.sql, [
      { room: 'a', version: 1, status: 'failed' },
      { room: 'a', version: 2 },
      { room: 'a', version: 3 },
    ])) as [bigint];
    const slow = stoppingAt(lookRows > 0 ? everything : streamLook);
    const claimed = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    await replay(one);
    slow.goOn.resolve();
    expect(shownRuns(await claimed)).toEqual(['a/im: 1,2,3']);
  });

  it('a row that is put back once the head behind it is taken is not passed over', async () => {
    const [one] = (await putRows(space.sql, [
      { room: 'a', version: 1, status: 'failed' },
      { room: 'a', version: 2 },
      { room: 'a', version: 3 },
    ])) as [bigint];
    const slow = stoppingAt(streamLook, secondLook);
    const claimed = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    await replay(one);
    slow.goOn.resolve();
    expect(await claimed).toEqual([]);
    expect(shownRuns(await plainStore().claimRuns(claimOf()))).toEqual(['a/im: 1,2,3']);
  });

  it('a relay whose head was claimed anew before it looked again takes nothing behind it', async () => {
    const [, two] = (await rowsOf(1, 2, 3)) as [bigint, bigint];
    const slow = stoppingAt(streamLook, secondLook);
    const claimed = storeOn(slow).claimRuns(claimOf());
    await slow.reached.promise;
    const later = claimOf({ nowMs: nowMs + 60_000, runSize: 1 });
    expect(shownRuns(await plainStore().claimRuns(later))).toEqual(['a/im: 1']);
    slow.goOn.resolve();
    expect(await claimed).toEqual([]);
    expect(slow.claimed.flat()).not.toContain(two);
  });

  it('a process that is frozen inside a transaction holds back its own rows only', async () => {
    const [one] = await rowsOf(1);
    await putRows(space.sql, [{ room: 'b', version: 1 }]);
    const frozen = await space.openObserver();
    await frozen.run('START TRANSACTION');
    await frozen.run('SELECT id FROM room_outbox WHERE id = ? FOR UPDATE', [one]);
    const startedMs = performance.now();
    const runs = await plainStore().claimRuns(claimOf());
    await frozen.run('ROLLBACK');
    expect(shownRuns(runs)).toEqual(['b/im: 1']);
    expect(performance.now() - startedMs).toBeLessThan(1_500);
  });

  it('an envelope that is damaged fails its row by name and holds nobody up', async () => {
    const [one] = (await rowsOf(1, 2)) as [bigint, bigint];
    await space.sql('UPDATE room_events SET envelope_crc32c = 1 WHERE room_version = 1');
    expect(await plainStore().claimRuns(claimOf())).toEqual([]);
    expect(await seeRow(space.sql, one)).toMatchObject({
      status: 'failed',
      lastError: expect.stringContaining('checksum') as string,
    });
    expect(shownRuns(await plainStore().claimRuns(claimOf()))).toEqual(['a/im: 2']);
  });
});
