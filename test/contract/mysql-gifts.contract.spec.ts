/** The contracts about gifts on MySQL. */
import { openMysqlSpace } from '../support/mysql-space.ts';
import { boardSumsContract } from './suites/board-sums-contract.ts';
import { commitLaneGiftsContract } from './suites/commit-lane-gifts-contract.ts';
import { giftCatalogueContract } from './suites/gift-catalogue-contract.ts';
import { rocketRulesContract } from './suites/rocket-rules-contract.ts';
import { settlementStoreContract } from './suites/settlement-store-contract.ts';

boardSumsContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    sums: space.drivers.boardSums,
    store: space.drivers.partitionStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    close: () => space.close(),
  };
});

giftCatalogueContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return { catalogue: space.drivers.giftCatalogue, close: () => space.close() };
});

rocketRulesContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return { store: space.drivers.rocketRules, close: () => space.close() };
});

settlementStoreContract('MySQL', async (layout) => {
  const space = await openMysqlSpace();
  await space.drivers.partitionStore.ensureLayout({ topic: 't.commands', ...layout });
  const lane = space.drivers.openLane({ incarnation: 'one', lane: 0 });
  return {
    settlements: space.drivers.settlementStore,
    lane,
    endOf: async (debitKey) => {
      const [row] = await space.sql(
        'SELECT refunded_coins, settled_at_ms FROM wallet_settlement WHERE debit_key = ?',
        [debitKey],
      );
      const coins = row?.['refunded_coins'] ?? null;
      const endedAtMs = row?.['settled_at_ms'] ?? null;
      return {
        refundedCoins: coins === null ? null : BigInt(String(coins)),
        settledAtMs: endedAtMs === null ? null : Number(endedAtMs),
      };
    },
    clear: async () => {
      await space.sql('DELETE FROM wallet_settlement');
    },
    close: async () => {
      await lane.stop();
      await space.close();
    },
  };
});

commitLaneGiftsContract('MySQL', async () => {
  const space = await openMysqlSpace();
  const { partitionStore, settlementStore, roomQueries } = space.drivers;
  return {
    store: partitionStore,
    settlements: settlementStore,
    queries: roomQueries,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    pin: async (appCode, roomId) => {
      await space.sql(
        'UPDATE room_list_entries SET pinned = 1 WHERE app_code = ? AND room_id = ?',
        [appCode, roomId],
      );
    },
    statsOf: async (roomId) => {
      const rows = await space.sql(
        'SELECT * FROM room_user_gift_stats WHERE room_id = ? ORDER BY user_id',
        [roomId],
      );
      return rows.map((row) => ({
        userId: String(row['user_id']),
        sentCoins: BigInt(String(row['sent_coins'])),
        sentCount: BigInt(String(row['sent_count'])),
        receivedCoins: BigInt(String(row['received_coins'])),
        receivedCount: BigInt(String(row['received_count'])),
        updatedAtMs: Number(row['updated_at_ms']),
      }));
    },
    weeksOf: async (roomId) => {
      const rows = await space.sql(
        'SELECT NULL AS user_id, iso_week, coins, gift_count, updated_at_ms ' +
          'FROM room_week_contributions WHERE room_id = ? UNION ALL ' +
          'SELECT user_id, iso_week, coins, gift_count, updated_at_ms ' +
          'FROM room_user_week_contributions WHERE room_id = ? ORDER BY user_id, iso_week',
        [roomId, roomId],
      );
      return rows.map((row) => ({
        userId: row['user_id'] === null ? null : String(row['user_id']),
        isoWeek: String(row['iso_week']),
        coins: BigInt(String(row['coins'])),
        giftCount: BigInt(String(row['gift_count'])),
        updatedAtMs: Number(row['updated_at_ms']),
      }));
    },
    daysOf: async (roomId) => {
      const rows = await space.sql(
        'SELECT * FROM room_day_contributions WHERE room_id = ? ORDER BY utc_day',
        [roomId],
      );
      return rows.map((row) => ({
        utcDay: String(row['utc_day']),
        coins: BigInt(String(row['coins'])),
        giftCount: BigInt(String(row['gift_count'])),
        updatedAtMs: Number(row['updated_at_ms']),
      }));
    },
    close: () => space.close(),
  };
});
