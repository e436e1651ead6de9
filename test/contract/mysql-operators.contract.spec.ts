/** The contract of what operators write and read, on MySQL. */
import { openMysqlSpace } from '../support/mysql-space.ts';
import { operatorStoreContract } from './suites/operator-store-contract.ts';

operatorStoreContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    operators: space.drivers.operatorStore,
    queries: space.drivers.roomQueries,
    catalogue: space.drivers.giftCatalogue,
    rocketRules: space.drivers.rocketRules,
    store: space.drivers.partitionStore,
    openLane: (incarnation) => space.drivers.openLane({ incarnation, lane: 0 }),
    audited: async (appCode, commandId) => {
      const [row] = await space.sql(
        'SELECT * FROM operator_audit WHERE app_code = ? AND command_id = ?',
        [appCode, commandId],
      );
      if (row === undefined) return null;
      return {
        operatorId: String(row['operator_id']),
        action: String(row['action']),
        userId: String(row['user_id']),
        roomId: String(row['room_id']),
        doneAtMs: Number(row['done_at_ms']),
      };
    },
    close: () => space.close(),
  };
});
