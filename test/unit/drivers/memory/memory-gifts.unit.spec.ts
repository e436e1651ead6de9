/** The contracts about gifts on the memory twins. */
import { MemoryBoardSums } from '../../../../src/drivers/memory/memory-board-sums.ts';
import { MemoryCommitLane } from '../../../../src/drivers/memory/memory-commit-lane.ts';
import { change, MemoryDatabase } from '../../../../src/drivers/memory/memory-database.ts';
import { MemoryGiftCatalogue } from '../../../../src/drivers/memory/memory-gift-catalogue.ts';
import { MemoryPartitionStore } from '../../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRocketRules } from '../../../../src/drivers/memory/memory-rocket-rules.ts';
import { MemoryRoomQueries } from '../../../../src/drivers/memory/memory-room-queries.ts';
import { MemorySettlementStore } from '../../../../src/drivers/memory/memory-settlement-store.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { roomKeyOf } from '../../../../src/domain/ids.ts';
import { boardSumsContract } from '../../../contract/suites/board-sums-contract.ts';
import { commitLaneGiftsContract } from '../../../contract/suites/commit-lane-gifts-contract.ts';
import { giftCatalogueContract } from '../../../contract/suites/gift-catalogue-contract.ts';
import { rocketRulesContract } from '../../../contract/suites/rocket-rules-contract.ts';
import { settlementStoreContract } from '../../../contract/suites/settlement-store-contract.ts';

const close = (): Promise<void> => Promise.resolve();

function freshDatabase(): MemoryDatabase {
  const time = new VirtualTime();
  return new MemoryDatabase({ clock: time, timers: time });
}

boardSumsContract('memory', () => {
  const database = freshDatabase();
  return Promise.resolve({
    sums: new MemoryBoardSums(database),
    store: new MemoryPartitionStore(database),
    openLane: (incarnation) => new MemoryCommitLane(database, { incarnation }),
    close,
  });
});

giftCatalogueContract('memory', () =>
  Promise.resolve({ catalogue: new MemoryGiftCatalogue(freshDatabase()), close }),
);

rocketRulesContract('memory', () =>
  Promise.resolve({ store: new MemoryRocketRules(freshDatabase()), close }),
);

settlementStoreContract('memory', async (layout) => {
  const database = freshDatabase();
  await new MemoryPartitionStore(database).ensureLayout({ topic: 't.commands', ...layout });
  return {
    settlements: new MemorySettlementStore(database),
    lane: new MemoryCommitLane(database),
    endOf: (debitKey) => {
      const { refundedCoins = null, settledAtMs = null } = database.settlements.get(debitKey) ?? {};
      return Promise.resolve({ refundedCoins, settledAtMs });
    },
    clear: () => {
      database.settlements.clear();
      return Promise.resolve();
    },
    close,
  };
});

commitLaneGiftsContract('memory', () => {
  const database = freshDatabase();
  return Promise.resolve({
    store: new MemoryPartitionStore(database),
    settlements: new MemorySettlementStore(database),
    queries: new MemoryRoomQueries(database),
    openLane: (incarnation) => new MemoryCommitLane(database, { incarnation }),
    pin: (appCode, roomId) => {
      const key = roomKeyOf(appCode, roomId);
      database.commit([change(database.listEntries, key, (entry) => ({ ...entry, pinned: true }))]);
      return Promise.resolve();
    },
    statsOf: (roomId) =>
      Promise.resolve(
        [...database.giftStats.values()]
          .filter((row) => row.roomId === roomId)
          .sort((one, other) => (one.userId < other.userId ? -1 : 1))
          .map(({ appCode: _app, roomId: _room, ...stats }) => stats),
      ),
    weeksOf: (roomId) => {
      const { roomWeeks, userWeeks } = database;
      const rows = [
        ...[...roomWeeks.values()].map((row) => ({ ...row, userId: null })),
        ...userWeeks.values(),
      ];
      const place = (row: { readonly userId: string | null; readonly isoWeek: string }): string =>
        `${row.userId ?? ''}/${row.isoWeek}`;
      return Promise.resolve(
        rows
          .filter((row) => row.roomId === roomId)
          .sort((one, other) => (place(one) < place(other) ? -1 : 1))
          .map(({ appCode: _app, roomId: _room, ...week }) => week),
      );
    },
    daysOf: (roomId) =>
      Promise.resolve(
        [...database.roomDays.values()]
          .filter((row) => row.roomId === roomId)
          .sort((one, other) => (one.utcDay < other.utcDay ? -1 : 1))
          .map(({ appCode: _app, roomId: _room, ...day }) => day),
      ),
    close,
  });
});
