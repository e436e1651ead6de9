/**
 * Faults of the lucky gift service, of the payment of prizes, and of the locks that only keep lucky
 * gifts in order.
 */
import { luckyFaultKinds as standInKinds } from '../../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import type { luckyFaultKinds } from '../plan/fault-kinds.ts';
import { orderWalletFault } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import { chosen, type FaultTable } from './fault-effect.ts';

/** All leave a prize pending. */
const prizeKinds = [
  'unavailable',
  'applied_then_unavailable',
  'applied_then_hang',
  'late',
] as const;
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
  prizes(world, { choice, target }) {
    const kind = chosen(prizeKinds, choice) ?? 'unavailable';
    const order = { kind, times: 1 + (target % timesMax), delayMs: delayMaxMs, command: 'prize' };
    return orderWalletFault(world.wallet.faults, order) === null;
  },
  luckyLocksGone(world) {
    world.servers.luckyLocks.isAway = true;
    return () => {
      world.servers.luckyLocks.isAway = false;
    };
  },
};
