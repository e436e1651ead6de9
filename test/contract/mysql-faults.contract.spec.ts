/** What befalls the drivers of MySQL, brought about for real. */
import { openMysqlFaultSpace } from '../support/mysql-fault-space.ts';
import { openMysqlSpace } from '../support/mysql-space.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { heldRowsContract } from './suites/held-rows-contract.ts';
import { laneFaultsContract } from './suites/lane-faults-contract.ts';
import { outOfReachContract } from './suites/out-of-reach-contract.ts';

laneFaultsContract('MySQL', openMysqlFaultSpace);
heldRowsContract('MySQL', openMysqlFaultSpace);

outOfReachContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const proxy = await startTcpProxy({
    targetPort: space.server.port,
    targetHost: space.server.host,
  });
  const drivers = space.moreDrivers({
    server: { ...space.server, host: '127.0.0.1', port: proxy.port },
  });
  return {
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    snapshots: drivers.snapshotStore,
    queries: drivers.roomQueries,
    slots: drivers.replySlots,
    registry: drivers.schemaRegistry,
    outbox: drivers.outboxStore,
    goAway: () => proxy.refuse(),
    comeBack: () => proxy.accept(),
    loseAnswer: () => {
      const watch = proxy.swallow({
        watch: 'toServer',
        matches: (chunk) => chunk.includes('INSERT INTO avro_schemas'),
      });
      void watch.swallowed.then(() => watch.cutMatched());
      return Promise.resolve();
    },
    close: async () => {
      await proxy.close();
      await space.close();
    },
  };
});
