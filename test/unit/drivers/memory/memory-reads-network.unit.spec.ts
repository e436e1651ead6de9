/** The twin of owner reads between nodes keeps the promises of the port. */
import { MemoryReadsNetwork } from '../../../../src/drivers/memory/memory-reads-network.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import type { OwnerReads } from '../../../../src/ports/owner-reads.ts';
import type { OwnerWatches } from '../../../../src/ports/room-watch.ts';
import { ownerReadsContract } from '../../../contract/suites/owner-reads-contract.ts';
import { roomWatchContract } from '../../../contract/suites/room-watch-contract.ts';

const nodesOfOneProcess = () => {
  const network = new MemoryReadsNetwork({
    clock: createSystemClock(),
    timers: createSystemTimers(),
  });
  let nodes = 0;
  return Promise.resolve({
    serverOf: (node: OwnerReads & OwnerWatches) => network.server(`node-${(nodes += 1)}`, node),
    peers: () => network.peers(),
    emptyAddress: () => Promise.resolve('nobody'),
    close: () => Promise.resolve(),
  });
};

ownerReadsContract('nodes of one process', nodesOfOneProcess);
roomWatchContract('nodes of one process', nodesOfOneProcess);
