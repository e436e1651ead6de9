/** What befalls the memory twins, as it befalls the real drivers. */
import { heldRowsContract } from '../../../contract/suites/held-rows-contract.ts';
import { laneFaultsContract } from '../../../contract/suites/lane-faults-contract.ts';
import { outOfReachContract } from '../../../contract/suites/out-of-reach-contract.ts';
import { openMemoryFaultSpace } from '../../../support/memory-fault-space.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

laneFaultsContract('memory', openMemoryFaultSpace);
heldRowsContract('memory', openMemoryFaultSpace);

outOfReachContract('memory', () => {
  const { database, drivers, close } = openMemorySpace();
  const { server } = database;
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    snapshots: drivers.snapshotStore,
    queries: drivers.roomQueries,
    slots: drivers.replySlots,
    registry: drivers.schemaRegistry,
    outbox: drivers.outboxStore,
    goAway: () => Promise.resolve(void (server.mode = 'down')),
    comeBack: () => Promise.resolve(void (server.mode = 'up')),
    loseAnswer: () => {
      server.faults.push({ port: 'schemas', kind: 'answerLost' });
      return Promise.resolve();
    },
    close,
  });
});
