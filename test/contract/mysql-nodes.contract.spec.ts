/** The contract of the nodes that live, on MySQL. */
import { openMysqlSpace } from '../support/mysql-space.ts';
import { nodeRegistryContract } from './suites/node-registry-contract.ts';

nodeRegistryContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    nodes: space.drivers.nodeRegistry,
    operators: space.drivers.operatorStore,
    wallMs: () => Date.now(),
    // The server's clock cannot be moved, so the leases are.
    pass: async (ms) => {
      await space.sql(
        'UPDATE cell_nodes SET lease_until_ms = lease_until_ms - ?, ' +
          'renewed_at_ms = renewed_at_ms - ?',
        [ms, ms],
      );
    },
    close: () => space.close(),
  };
});
