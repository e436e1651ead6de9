/** The contract of retention on the memory twin. */
import { retentionStoreContract } from '../../../contract/suites/retention-store-contract.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

retentionStoreContract('memory', () => {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    retention: drivers.retentionStore,
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    outbox: drivers.outboxStore,
    replays: drivers.replayStore,
    operators: drivers.operatorStore,
    settlements: drivers.settlementStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
});
