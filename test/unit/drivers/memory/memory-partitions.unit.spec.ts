/** The partition contracts on the memory twins. */
import { commitLaneContract } from '../../../contract/suites/commit-lane-contract.ts';
import { commitLaneRowsContract } from '../../../contract/suites/commit-lane-rows-contract.ts';
import {
  partitionStoreContract,
  type PartitionStoreFixture,
} from '../../../contract/suites/partition-store-contract.ts';
import { stalledTakeoversContract } from '../../../contract/suites/stalled-takeovers-contract.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

partitionStoreContract('memory', openPartitions);
stalledTakeoversContract('memory', openPartitions);

commitLaneContract('memory', () => {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
});

commitLaneRowsContract('memory', () => {
  const { database, drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    outbox: drivers.outboxStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    deadLetters: (partition) => {
      const letters = database.deadLetters.filter((letter) => letter.partition === partition);
      return Promise.resolve(letters);
    },
    close,
  });
});

function openPartitions(): Promise<PartitionStoreFixture> {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
}
