/** The contract of what was set aside and is sent again, on the memory twin. */
import { createMemoryDrivers } from '../../../../src/drivers/memory/memory-drivers.ts';
import { replayStoreContract } from '../../../contract/suites/replay-store-contract.ts';
import { memoryReplaySpace } from '../../../support/memory-outbox-rows.ts';

replayStoreContract('memory', () => {
  const { space, put, see } = memoryReplaySpace();
  const { drivers, close } = space;
  return Promise.resolve({
    replays: drivers.replayStore,
    operators: drivers.operatorStore,
    outbox: drivers.outboxStore,
    blockingOutbox: createMemoryDrivers(space.database, ['im']).outboxStore,
    store: drivers.partitionStore,
    topic: 't.commands',
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    put,
    see,
    close,
  });
});
