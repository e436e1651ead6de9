/** The contract of what operators write and read, on the memory twin. */
import { operatorStoreContract } from '../../../contract/suites/operator-store-contract.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

operatorStoreContract('memory', () => {
  const { database, drivers, close } = openMemorySpace();
  return Promise.resolve({
    operators: drivers.operatorStore,
    queries: drivers.roomQueries,
    catalogue: drivers.giftCatalogue,
    rocketRules: drivers.rocketRules,
    store: drivers.partitionStore,
    openLane: (incarnation) => drivers.openLane({ incarnation }),
    audited: (appCode, commandId) => {
      const act = database.operatorAudit.get(`${appCode}\0${commandId}`);
      if (act === undefined) return Promise.resolve(null);
      const { operatorId, type: action, doneAtMs } = act;
      const userId = 'userId' in act ? act.userId : '';
      const roomId = 'roomId' in act ? act.roomId : '';
      return Promise.resolve({ operatorId, action, userId, roomId, doneAtMs });
    },
    close,
  });
});
