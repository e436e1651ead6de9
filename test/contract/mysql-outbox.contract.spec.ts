/** The contracts of the outbox on MySQL, and what a look at a stream costs there. */
import { expect, it } from 'vitest';
import { defaultPoolLimits, pooledSession } from '../../src/drivers/mysql/connection-settings.ts';
import type { RoomId } from '../../src/domain/ids.ts';
import { createOutboxStore } from '../../src/drivers/mysql/outbox-store.ts';
import { readStreams } from '../../src/drivers/mysql/outbox-streams.ts';
import { MysqlPool } from '../../src/drivers/mysql/pool.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import type { OutboxStoreFixture } from '../support/outbox-rig.ts';
import { outboxApp, putRows, seeRow } from '../support/outbox-rows.ts';
import { outboxBlockContract } from './suites/outbox-block-contract.ts';
import { outboxClaimContract } from './suites/outbox-claim-contract.ts';
import { outboxFinishContract } from './suites/outbox-finish-contract.ts';

async function mysqlFixture(): Promise<OutboxStoreFixture> {
  const space = await openMysqlSpace();
  const pools: MysqlPool[] = [];
  return {
    newStore: (blocking = []) => {
      // A pool of its own, as another process has.
      const pool = new MysqlPool(space.server, pooledSession, defaultPoolLimits);
      pools.push(pool);
      return createOutboxStore(pool, blocking);
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

outboxBlockContract('MySQL', mysqlFixture);
outboxClaimContract('MySQL', mysqlFixture);
outboxFinishContract('MySQL', mysqlFixture);

it('a stream is looked at through its key, however many of its rows have failed', async () => {
  const space = await openMysqlSpace();
  const failed = Array.from({ length: 3_000 }, (_, at) => {
    return { room: 'a', version: at + 1, status: 'failed' };
  });
  await putRows(space.sql, failed);
  await putRows(space.sql, [{ room: 'a', version: 3_001 }]);
  await space.sql('ANALYZE TABLE room_outbox');
  const pool = new MysqlPool(space.server, pooledSession, { ...defaultPoolLimits, connections: 1 });
  const stream = { appCode: outboxApp, roomId: 'a' as RoomId, destination: 'im' as const };
  const looks = async (): Promise<number> => {
    const rows = await pool.rows('counting', "SHOW SESSION STATUS LIKE 'Handler_read%'");
    return rows.reduce((sum, row) => sum + Number(row['Value']), 0);
  };
  const before = await looks();
  const views = await pool.withSession((session) => readStreams(session, [stream], 10, ['im']));
  expect((await looks()) - before).toBeLessThan(50);
  const seen = [...views.values()].flat().map(({ status }) => status);
  expect(seen.sort()).toEqual(['failed', 'pending']);
  await pool.close();
  await space.close();
});
