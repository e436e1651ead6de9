/** The partition contracts on MySQL. */
import { openMysqlSpace } from '../support/mysql-space.ts';
import { commitLaneContract } from './suites/commit-lane-contract.ts';
import { partitionStoreContract } from './suites/partition-store-contract.ts';

partitionStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

commitLaneContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    store: space.drivers.partitionStore,
    reader: space.drivers.roomReader,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});
