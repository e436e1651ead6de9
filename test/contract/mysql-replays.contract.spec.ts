/** The contract of what was set aside and is sent again, on MySQL. */
import { defaultPoolLimits, outboxSession } from '../../src/drivers/mysql/connection-settings.ts';
import { createOutboxStore } from '../../src/drivers/mysql/outbox-store.ts';
import { MysqlPool } from '../../src/drivers/mysql/pool.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import { putRows, seeRow } from '../support/outbox-rows.ts';
import { replayStoreContract } from './suites/replay-store-contract.ts';

replayStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const pool = new MysqlPool(space.server, outboxSession, defaultPoolLimits);
  return {
    replays: space.drivers.replayStore,
    operators: space.drivers.operatorStore,
    outbox: space.drivers.outboxStore,
    blockingOutbox: createOutboxStore(pool, ['im']),
    store: space.drivers.partitionStore,
    topic: 't.commands',
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    put: (rows) => putRows(space.sql, rows),
    see: (rowId) => seeRow(space.sql, rowId),
    close: async () => {
      await pool.close();
      await space.close();
    },
  };
});
