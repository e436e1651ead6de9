/** Faults of what is never needed for correctness (leases, hints), and of what lies outside. */
import type { LeaseServerMode } from '../../../src/drivers/memory/memory-lease-server.ts';
import type { WalletFaultKind } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import { orderWalletFault } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import type { FaultTable, MakeFault } from './fault-effect.ts';
import { chosen } from './fault-effect.ts';

/** Those that take another's money or the wrong sum stop a room by design, and are not here. */
const walletKinds: readonly WalletFaultKind[] = [
  'unavailable',
  'applied_then_unavailable',
  'applied_then_internal',
  'applied_then_hang',
  'slow',
  'late',
  'twice',
  'insufficient',
  'refuse',
  'find_lags',
];
const imKinds = ['http_502', 'hang', 'cut_after_store', 'error_code', 'slow', 'twice'] as const;
/** Internal error, throttle, permanent refusal. */
const imCodes = [10002, 10023, 80001] as const;
const activityKinds = [
  'unavailable',
  'applied_then_cut',
  'slow',
  'refuse',
  'throttle',
  'twice',
] as const;
const timesMax = 3;
/** Events of batches that a fault lets pass, so that it meets one in the midst of its batch. */
const passingMax = 2;
/** Seldom: an adapter that met it sends no batches for the rest of its life, as these runs are short. */
const noBatchesOneIn = 40;
/** Rooms that wait before it. */
const waitingMax = 4;
const delayMaxMs = 2_000;
const jumpMaxMs = 20_000;

function leases(mode: LeaseServerMode): MakeFault {
  return (world) => {
    world.servers.leases.setMode(mode);
    return () => world.servers.leases.setMode({ kind: 'up' });
  };
}

/** See the file header. */
export const outsideFaults: FaultTable<
  | 'leasesEmptied'
  | 'leasesFrozen'
  | 'leasesGone'
  | 'leasesForeign'
  | 'leasesTwice'
  | 'leasesClockJump'
  | 'hintsLost'
  | 'wallet'
  | 'walletDown'
  | 'im'
  | 'imDown'
  | 'activity'
  | 'activityDown'
> = {
  leasesEmptied(world) {
    world.servers.leases.empty();
    return true;
  },
  leasesFrozen: leases({ kind: 'frozen' }),
  leasesGone: leases({ kind: 'down' }),
  leasesForeign(world, { choice, lengthMs }) {
    const roomKey = chosen([...world.database.rooms.keys()], choice);
    if (roomKey === undefined) return false;
    const epoch = choice % 2 === 0 ? 999_999 : 1;
    world.servers.leases.plant(roomKey, `${epoch}.1|stranger`, lengthMs);
    return true;
  },
  leasesTwice(world, { choice }) {
    world.servers.leases.runTwice(1 + (choice % timesMax));
    return true;
  },
  leasesClockJump(world, { choice }) {
    const byMs = (choice % (2 * jumpMaxMs)) - jumpMaxMs;
    world.servers.leases.jumpClock(byMs);
    return () => world.servers.leases.jumpClock(-byMs);
  },
  hintsLost(world) {
    world.servers.wakeHub.loses = true;
    world.servers.handOverHub.loses = true;
    return () => {
      world.servers.wakeHub.loses = false;
      world.servers.handOverHub.loses = false;
    };
  },
  wallet(world, { choice, target }) {
    const kind = chosen(walletKinds, choice) ?? 'unavailable';
    const order = { kind, times: 1 + (target % timesMax), delayMs: 1 + (target % delayMaxMs) };
    return orderWalletFault(world.wallet.faults, order) === null;
  },
  walletDown(world) {
    orderWalletFault(world.wallet.faults, { kind: 'unavailable', times: null });
    return () => world.wallet.faults.clear();
  },
  im(world, { choice, target }) {
    const kind = chosen(imKinds, choice) ?? 'http_502';
    const code = chosen(imCodes, target) ?? imCodes[0];
    const delayMs = 1 + (target % delayMaxMs);
    return world.servers.im.faults.add({ kind, times: 1 + (target % timesMax), code, delayMs });
  },
  imDown(world) {
    world.servers.im.faults.add({ kind: 'http_502', times: null });
    return () => world.servers.im.faults.clear();
  },
  activity(world, { choice, target }) {
    const kind = chosen(activityKinds, choice) ?? 'unavailable';
    const delayMs = 1 + (target % delayMaxMs);
    const times = 1 + (target % timesMax);
    const { faults } = world.servers.activity;
    if (choice % noBatchesOneIn === 0) return faults.add({ kind: 'no_batches', times: 1 });
    if (target % 2 === 0) return faults.add({ kind, times, delayMs });
    // Rooms that are made to wait have something for a batch behind it.
    faults.add({ kind: 'throttle', command: 'ingest', times: waitingMax, delayMs: delayMaxMs });
    const after = 1 + (choice % passingMax);
    return faults.add({ kind, command: 'ingest_batch', times, delayMs, after });
  },
  activityDown(world) {
    world.servers.activity.faults.add({ kind: 'unavailable', times: null });
    return () => world.servers.activity.faults.clear();
  },
};
