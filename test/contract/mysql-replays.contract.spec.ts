/** The contract of what was set aside and is sent again, on MySQL. */
import { createOutboxStore } from '../../src/drivers/mysql/outbox-store.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import { putRows, seeRow } from '../support/outbox-rows.ts';
import { replayStoreContract } from './suites/replay-store-contract.ts';

replayStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    replays: space.drivers.replayStore,
    operators: space.drivers.operatorStore,
    outbox: space.drivers.outboxStore,
    blockingOutbox: createOutboxStore(space.drivers.pool, ['im']),
    store: space.drivers.partitionStore,
    topic: 't.commands',
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    put: (rows) => putRows(space.sql, rows),
    see: (rowId) => seeRow(space.sql, rowId),
    close: () => space.close(),
  };
});
