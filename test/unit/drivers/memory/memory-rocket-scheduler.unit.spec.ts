/** The twin of the rockets' scheduler keeps its contract. */
import { MemoryRocketWakes } from '../../../../src/drivers/memory/memory-rocket-scheduler.ts';
import { rocketSchedulerContract } from '../../../contract/suites/rocket-scheduler-contract.ts';

rocketSchedulerContract('memory', () => {
  const server = new MemoryRocketWakes();
  return Promise.resolve({
    here: server.open(),
    there: server.open(),
    empty: () => Promise.resolve(server.wakes.clear()),
    setAway(isAway) {
      server.isAway = isAway;
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
});
