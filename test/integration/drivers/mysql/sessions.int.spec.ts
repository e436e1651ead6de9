/**
 * What every connection carries and what a pool hands on: settings that are verified, no state of
 * the last caller, limits on every wait.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  laneSession,
  migrationSession,
  outboxSession,
  pooledSession,
  takeoverSession,
} from '../../../../src/drivers/mysql/connection-settings.ts';
import { MysqlPool } from '../../../../src/drivers/mysql/pool.ts';
import { openSession } from '../../../../src/drivers/mysql/session.ts';
import { seededRandom } from '../../../support/memory-log-space.ts';
import { openMysqlSpace } from '../../../support/mysql-space.ts';
import type { MysqlSpace } from '../../../support/mysql-space.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('MySQL sessions', () => {
  let space: MysqlSpace;
  const pools: MysqlPool[] = [];
  const retry = { kind: 'retry', reason: 'UNAVAILABLE' };

  beforeAll(async () => {
    space = await openMysqlSpace();
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await space.close();
  });

  const poolOf = (connections: number, limits = {}, session = {}, server = {}): MysqlPool => {
    const pool = new MysqlPool(
      { ...space.server, ...server },
      { ...pooledSession, ...session },
      { connections, waiting: 100, acquireMs: 5_000, ...limits },
    );
    pools.push(pool);
    return pool;
  };
  const insertLayout = (topic: string) =>
    [
      "INSERT INTO topic_layout (topic, partition_count, hash_name, created_at_ms) VALUES (?, 1, 'murmur2', 1)",
      [topic],
    ] as const;
  const storedLayouts = async (prefix: string): Promise<number> => {
    const rows = await space.sql('SELECT COUNT(*) AS n FROM topic_layout WHERE topic LIKE ?', [
      `${prefix}%`,
    ]);
    return Number(rows[0]?.['n']);
  };

  it.each([
    ['pool', pooledSession],
    ['outbox', outboxSession],
    ['takeover', takeoverSession],
    ['lane', laneSession],
    ['migration', migrationSession],
  ])(
    'a %s connection reads what others committed meanwhile: READ COMMITTED (A6)',
    async (kind, limits) => {
      const session = await openSession(space.server, limits);
      await session.run('START TRANSACTION');
      const count = async (): Promise<number> => {
        const sql = 'SELECT COUNT(*) AS n FROM topic_layout WHERE topic = ?';
        return Number((await session.rows(sql, [`rc-${kind}`]))[0]?.['n']);
      };
      expect(await count()).toBe(0);
      await space.sql(...insertLayout(`rc-${kind}`));
      expect(await count()).toBe(1);
      await session.end();
    },
  );

  it('every session is strict, whatever the server defaults to', async () => {
    const session = await openSession(space.server, pooledSession);
    const tooLong = session.run(...insertLayout('x'.repeat(300)));
    await expect(tooLong).rejects.toMatchObject({ sort: 'data', errno: 1406 });
    await session.end();
  });

  it('a body that throws between BEGIN and COMMIT leaves nothing to the next caller (A6)', async () => {
    const pool = poolOf(1);
    const failing = pool.transaction('a test', async (session) => {
      await session.run(...insertLayout('dirty-1'));
      throw new Error('the body failed');
    });
    await expect(failing).rejects.toThrow('the body failed');
    await pool.run('a test', ...insertLayout('clean-1'));
    expect(await storedLayouts('dirty-')).toBe(0);
    expect(await storedLayouts('clean-1')).toBe(1);
    await space.noTransactionIsOpen();
    expect(pool.counts).toEqual({ busy: 0, idle: 1, waiting: 0 });
  });

  it('a session whose ROLLBACK fails is destroyed and replaced (A6)', async () => {
    const pool = poolOf(1);
    const failing = pool.transaction('a test', async (session) => {
      await session.run(...insertLayout('dirty-2'));
      await space.sql(`KILL ${session.threadId}`);
      throw new Error('the body failed');
    });
    await expect(failing).rejects.toThrow('the body failed');
    expect(pool.counts).toEqual({ busy: 0, idle: 0, waiting: 0 });
    await pool.run('a test', ...insertLayout('clean-2'));
    expect(await storedLayouts('dirty-')).toBe(0);
    await space.noTransactionIsOpen();
  });

  describe('a transaction in two steps', () => {
    const statement = ([sql, values]: ReturnType<typeof insertLayout>) => ({ sql, values });
    const reads = [{ sql: "SELECT topic FROM topic_layout WHERE topic = 'two-0'", values: [] }];

    it('stores what was decided on what it read', async () => {
      const pool = poolOf(1, {}, outboxSession);
      await pool.run('a test', ...insertLayout('two-0'));
      const read = await pool.twoStepTransaction('a test', reads, ([found]) => ({
        writes: [statement(insertLayout('two-1')), statement(insertLayout('two-2'))],
        answer: found?.rows.map((row) => row['topic']),
      }));
      expect(read).toEqual(['two-0']);
      expect(await storedLayouts('two-')).toBe(3);
      await space.noTransactionIsOpen();
    });

    it('leaves nothing to the next caller when the decision throws (A6)', async () => {
      const pool = poolOf(1, {}, outboxSession);
      const failing = pool.twoStepTransaction('a test', reads, () => {
        throw new Error('the decision failed');
      });
      await expect(failing).rejects.toThrow('the decision failed');
      await space.noTransactionIsOpen();
      expect(pool.counts).toEqual({ busy: 0, idle: 1, waiting: 0 });
    });

    it('stores nothing when one of its writes is refused, and the session serves on (A6)', async () => {
      const pool = poolOf(1, {}, outboxSession);
      const write = statement(insertLayout('dirty-3'));
      const failing = pool.twoStepTransaction('a test', reads, () => ({
        writes: [write, write],
        answer: null,
      }));
      await expect(failing).rejects.toThrow('Duplicate entry');
      await space.noTransactionIsOpen();
      expect(await storedLayouts('dirty-')).toBe(0);
      expect(pool.counts).toEqual({ busy: 0, idle: 1, waiting: 0 });
    });

    it('destroys a session that ends under it', async () => {
      const pool = poolOf(1, {}, outboxSession);
      const failing = pool.twoStepTransaction('a test', reads, () => ({
        writes: [statement(insertLayout('dirty-4')), { sql: 'KILL CONNECTION_ID()', values: [] }],
        answer: null,
      }));
      await expect(failing).rejects.toThrow('a test');
      expect(pool.counts).toEqual({ busy: 0, idle: 0, waiting: 0 });
      await pool.run('a test', ...insertLayout('clean-two-1'));
      expect(await storedLayouts('dirty-')).toBe(0);
    });
  });

  it('10,000 bodies that fail at random places leave the pool whole and nothing stored (A6)', async () => {
    const pool = poolOf(3);
    const places = ['before', 'in a statement', 'after'];
    const random = seededRandom(6);
    const ends = new Map<string, number>();
    const failOnce = async (name: string): Promise<void> => {
      const place = places[Math.floor(random.fraction('place') * places.length)] ?? '';
      const body = pool.transaction('a test', async (session) => {
        if (place === 'before') throw new Error(place);
        await session.run(...insertLayout(`dirty-3-${name}`));
        if (place === 'after') throw new Error(place);
        await session.run('SELECT nothing FROM nowhere');
      });
      const end = await body.then(
        () => 'done',
        ({ message }: Error) => (message.includes(place) ? place : 'in a statement'),
      );
      expect(end).toBe(place);
      ends.set(place, (ends.get(place) ?? 0) + 1);
    };
    // One caller more than there are connections, so that somebody always waits.
    const callers = ['a', 'b', 'c', 'd'].map(async (caller) => {
      for (let nth = 0; nth < 2_500; nth += 1) await failOnce(`${caller}-${nth}`);
    });
    await Promise.all(callers);
    expect([...ends.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000);
    expect(await storedLayouts('dirty-')).toBe(0);
    expect(pool.counts).toEqual({ busy: 0, idle: 3, waiting: 0 });
    await space.noTransactionIsOpen();
  }, 120_000);

  it('a body that is ended by its time limit leaves nothing to the next caller (A6)', async () => {
    const pool = poolOf(1, {}, { queryMs: 200 });
    const late = pool.transaction('a test', async (session) => {
      await session.run(...insertLayout('dirty-4'));
      await session.run('SELECT SLEEP(30)');
    });
    await expect(late).rejects.toMatchObject(retry);
    expect(pool.counts).toEqual({ busy: 0, idle: 0, waiting: 0 });
    await pool.run('a test', ...insertLayout('clean-4'));
    expect(await storedLayouts('dirty-')).toBe(0);
    expect(await storedLayouts('clean-4')).toBe(1);
    await space.noTransactionIsOpen();
  });

  it('a deadlocked transaction is run again as a whole', async () => {
    const pool = poolOf(2);
    await pool.run('a test', ...insertLayout('lock-a'));
    await pool.run('a test', ...insertLayout('lock-b'));
    let firstLocks = 0;
    const bothHoldOne = async (): Promise<void> => {
      firstLocks += 1;
      if (firstLocks <= 2) {
        await waitUntil('both hold one row', () => Promise.resolve(firstLocks >= 2));
      }
    };
    const lockInOrder = (topics: readonly string[]): Promise<void> =>
      pool.transaction('a test', async (session) => {
        const update =
          'UPDATE topic_layout SET partition_count = partition_count + 1 WHERE topic = ?';
        await session.run(update, [topics[0]]);
        await bothHoldOne();
        await session.run(update, [topics[1]]);
      });
    await Promise.all([lockInOrder(['lock-a', 'lock-b']), lockInOrder(['lock-b', 'lock-a'])]);
    const rows = await space.sql(
      "SELECT partition_count FROM topic_layout WHERE topic IN ('lock-a', 'lock-b')",
    );
    expect(rows.map((row) => Number(row['partition_count']))).toEqual([3, 3]);
    expect(firstLocks).toBe(3);
  });

  it('refuses the caller that is one too many, and the one that has waited too long', async () => {
    const pool = poolOf(1, { waiting: 1, acquireMs: 200 });
    let letGo: () => void = () => undefined;
    const held = pool.withSession(() => new Promise<void>((resolve) => (letGo = resolve)));
    await waitUntil('the only connection in use', () => Promise.resolve(pool.counts.busy === 1));
    const waits = pool.rows('the one that waits', 'SELECT 1');
    const tooMany = pool.rows('one too many', 'SELECT 1');
    await expect(tooMany).rejects.toMatchObject(retry);
    await expect(waits).rejects.toThrow('200 ms');
    letGo();
    await held;
    expect(await pool.rows('the next', 'SELECT 1 AS one')).toHaveLength(1);
  });

  it('a server that falls silent costs each caller its limit, and none after it is back', async () => {
    const proxy = await startTcpProxy({
      targetPort: space.server.port,
      targetHost: space.server.host,
    });
    const silent = { queryMs: 300, openMs: 300 };
    const pool = poolOf(2, {}, silent, { host: '127.0.0.1', port: proxy.port });
    await pool.rows('before', 'SELECT 1');
    proxy.setMode({ kind: 'hold', direction: 'both' });
    const startedAt = performance.now();
    await expect(pool.rows('on an open connection', 'SELECT 1')).rejects.toMatchObject(retry);
    await expect(pool.rows('on a new connection', 'SELECT 1')).rejects.toMatchObject(retry);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    proxy.setMode({ kind: 'pass' });
    proxy.cut();
    expect(await pool.rows('afterwards', 'SELECT 1 AS one')).toHaveLength(1);
    await proxy.close();
  });

  it('connections that the server ended while they rested are replaced without a failure', async () => {
    const pool = poolOf(1);
    const rows = await pool.rows('a test', 'SELECT CONNECTION_ID() AS id');
    await space.sql(`KILL ${BigInt(String(rows[0]?.['id']))}`);
    await waitUntil('the end of the resting connection', async () => {
      const left = await space.sql('SELECT 1 FROM information_schema.processlist WHERE id = ?', [
        rows[0]?.['id'],
      ]);
      return left.length === 0;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await pool.rows('a test', 'SELECT 1 AS one')).toHaveLength(1);
  });

  it('a wrong password is a Retry that says so and leaves no connection behind', async () => {
    const pool = poolOf(1, {}, {}, { user: 'nobody-of-that-name', password: 'wrong' });
    await expect(pool.rows('a test', 'SELECT 1')).rejects.toMatchObject(retry);
    expect(pool.counts).toEqual({ busy: 0, idle: 0, waiting: 0 });
  });
});
