/** The contracts of the outbox on MySQL. */
import { defaultPoolLimits, pooledSession } from '../../src/drivers/mysql/connection-settings.ts';
import { createOutboxStore } from '../../src/drivers/mysql/outbox-store.ts';
import { MysqlPool } from '../../src/drivers/mysql/pool.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import type { OutboxStoreFixture } from '../support/outbox-rig.ts';
import { putRows, seeRow } from '../support/outbox-rows.ts';
import { outboxClaimContract } from './suites/outbox-claim-contract.ts';
import { outboxFinishContract } from './suites/outbox-finish-contract.ts';

async function mysqlFixture(): Promise<OutboxStoreFixture> {
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

outboxClaimContract('MySQL', mysqlFixture);
outboxFinishContract('MySQL', mysqlFixture);
