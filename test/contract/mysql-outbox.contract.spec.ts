/** The contract of the outbox on MySQL. */
import { defaultPoolLimits, pooledSession } from '../../src/drivers/mysql/connection-settings.ts';
import { createOutboxStore } from '../../src/drivers/mysql/outbox-store.ts';
import { MysqlPool } from '../../src/drivers/mysql/pool.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import { putRows, seeRow } from '../support/outbox-rows.ts';
import { outboxStoreContract } from './suites/outbox-store-contract.ts';

outboxStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const pools: MysqlPool[] = [];
  return {
    newStore: () => {
      // A pool of its own, as another process has.
      const pool = new MysqlPool(space.server, pooledSession, defaultPoolLimits);
      pools.push(pool);
      return createOutboxStore(pool);
    },
    put: (rows) => putRows(space.sql, rows),
    see: (rowId) => seeRow(space.sql, rowId),
    replay: async (rowId) => {
      await space.sql(
        "UPDATE room_outbox SET status = 'pending', retry_count = 0, claim_token = '', " +
          "lock_until_ms = 0, next_retry_at_ms = 0 WHERE id = ? AND status = 'failed'",
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
});
