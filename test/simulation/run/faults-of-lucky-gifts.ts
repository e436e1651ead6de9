/** Faults of the lucky gift service, and of the locks that only keep its gifts in order. */
import { luckyFaultKinds as standInKinds } from '../../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import type { luckyFaultKinds } from '../plan/fault-kinds.ts';
import { chosen, type FaultTable } from './fault-effect.ts';

const timesMax = 3;
const delayMaxMs = 2_000;

/** See the file header. */
export const luckyFaults: FaultTable<keyof typeof luckyFaultKinds> = {
  lucky(world, { choice, target }) {
    const kind = chosen(standInKinds, choice) ?? 'unavailable';
    const delayMs = 1 + (target % delayMaxMs);
    return world.servers.lucky.faults.add({ kind, times: 1 + (target % timesMax), delayMs });
  },
  luckyDown(world) {
    world.servers.lucky.faults.add({ kind: 'unavailable', times: null });
    return () => world.servers.lucky.faults.clear();
  },
  luckyLocksGone(world) {
    world.servers.luckyLocks.isAway = true;
    return () => {
      world.servers.luckyLocks.isAway = false;
    };
  },
};
