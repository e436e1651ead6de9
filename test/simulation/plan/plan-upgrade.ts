/**
 * What an upgrade needs of the workload: a room that is closed with a grace while the deployment is
 * still at its old level, which is an old command with a new event. From a generator of its own.
 */
import { SimRandom } from '../kernel/sim-random.ts';
import { appCodes } from './config-of.ts';
import type { PlannedCall, Workload } from './planned-call.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

const ttlMs = 3_000;

/** The workload with somebody who closes a room; its number goes on behind those that there are. */
export function withUpgrade(options: SimOptions, workload: Workload): Workload {
  const { upgrade, rooms } = options;
  // The only room of a run has more to tell when it stays open.
  if (upgrade === undefined || rooms === 1) return workload;
  const random = new SimRandom(options.seed, 'upgrade calls');
  const close: PlannedCall = {
    nth: Math.max(...workload.calls.map(({ nth }) => nth)) + 1,
    client: workload.clients.length,
    atMs: random.between(warmUpMs, upgrade.raisedAtMs),
    gateway: random.below(options.gateways),
    role: 'operator',
    ttlMs,
    givesUp: false,
    isForgotten: false,
    ask: { type: 'CloseRoom', room: random.below(rooms), reason: 'upgrade' },
    repeatOf: null,
    otherPayload: false,
  };
  const clients = [...workload.clients, { appCode: appCodes[0], userId: 'keeper' }];
  return { clients, calls: [...workload.calls, close] };
}
