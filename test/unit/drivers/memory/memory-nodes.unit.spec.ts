/** The contract of the nodes that live, on the memory twin. */
import { nodeRegistryContract } from '../../../contract/suites/node-registry-contract.ts';
import { nodeName } from '../../../../src/drivers/memory/memory-node-registry.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

nodeRegistryContract('memory', () => {
  const { drivers, database, time, close } = openMemorySpace();
  return Promise.resolve({
    nodes: drivers.nodeRegistry,
    operators: drivers.operatorStore,
    wallMs: () => time.wallMs(),
    pass: (ms) => time.advance(ms),
    connectionsEnd: (incarnation) => {
      database.server.named(nodeName(incarnation))?.end();
      return Promise.resolve();
    },
    close,
  });
});
