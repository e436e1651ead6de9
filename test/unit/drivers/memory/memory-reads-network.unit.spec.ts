/** The twin of owner reads between nodes keeps the promises of the port. */
import { MemoryReadsNetwork } from '../../../../src/drivers/memory/memory-reads-network.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import { ownerReadsContract } from '../../../contract/suites/owner-reads-contract.ts';

ownerReadsContract('nodes of one process', async () => {
  const network = new MemoryReadsNetwork({
    clock: createSystemClock(),
    timers: createSystemTimers(),
  });
  let nodes = 0;
  return {
    serverOf: (reads) => network.server(`node-${(nodes += 1)}`, reads),
    peers: () => network.peers(),
    emptyAddress: () => Promise.resolve('nobody'),
    close: () => Promise.resolve(),
  };
});
