/**
 * Who watches which room: mostly somebody above the room, else a user of it, who is told only while it
 * is there. From a generator of its own, so that the rest of a workload stays what it is.
 */
import { SimRandom } from '../kernel/sim-random.ts';
import { appCodes } from './config-of.ts';
import type { PlannedWatch, Workload } from './planned-call.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

/** Watchers of the room to which most calls lead, if they lead to one. */
const hotShare = 0.5;

/** The workload with its watchers. */
export function withWatches(options: SimOptions, workload: Workload): Workload {
  const { watchers = 0, apps, rooms, gateways, stormMs, seed } = options;
  if (watchers === 0) return workload;
  const random = new SimRandom(seed, 'watches');
  const watches = Array.from({ length: watchers }, (): PlannedWatch => {
    const appCode = random.pick(appCodes.slice(0, apps));
    const role = random.weighted({ service: 5, operator: 1, user: 3 });
    const users = workload.clients.slice(0, options.users);
    const own = users.filter((client) => client.appCode === appCode);
    const userId = role === 'user' ? random.pick(own).userId : '';
    return {
      appCode,
      room: random.chance(hotShare) ? 0 : random.below(rooms),
      role,
      userId,
      gateway: random.below(gateways),
      fromMs: Math.round(warmUpMs / 2 + (random.fraction() * stormMs) / 2),
      hangsUpAfter: random.pick([0, 0, random.between(1, 12)]),
    };
  });
  return { ...workload, watches };
}
