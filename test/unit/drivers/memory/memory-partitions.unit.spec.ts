/** The partition contracts on the memory twins. */
import { commitLaneContract } from '../../../contract/suites/commit-lane-contract.ts';
import {
  commitLaneRoomsContract,
  type PresentRow,
} from '../../../contract/suites/commit-lane-rooms-contract.ts';
import { commitLaneRowsContract } from '../../../contract/suites/commit-lane-rows-contract.ts';
import {
  partitionStoreContract,
  type PartitionStoreFixture,
} from '../../../contract/suites/partition-store-contract.ts';
import { partitionStopsContract } from '../../../contract/suites/partition-stops-contract.ts';
import { stalledTakeoversContract } from '../../../contract/suites/stalled-takeovers-contract.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

partitionStoreContract('memory', openPartitions);
stalledTakeoversContract('memory', openPartitions);

partitionStopsContract('memory', () => {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    stops: drivers.partitionStops,
    operators: drivers.operatorStore,
    store: drivers.partitionStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
});

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

commitLaneRoomsContract('memory', () => {
  const { database, drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    snapshots: drivers.snapshotStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    presentUsers: (roomKey) => {
      const rows = database.userRooms.rowsBy('room', roomKey);
      return Promise.resolve(
        rows.map(({ userId, joinedAtMs }) => [userId, joinedAtMs] as const).sort(byUserId),
      );
    },
    listedStatus: (roomKey) => Promise.resolve(database.listEntries.get(roomKey)?.status ?? null),
    close,
  });
});

function byUserId([one]: PresentRow, [other]: PresentRow): number {
  return one < other ? -1 : 1;
}

function openPartitions(): Promise<PartitionStoreFixture> {
  const { drivers, close } = openMemorySpace();
  return Promise.resolve({
    store: drivers.partitionStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    close,
  });
}
