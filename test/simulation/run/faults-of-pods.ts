/** Faults of processes and their machines. */
import type { RoleName } from '../../../src/main/role.ts';
import type { FaultTable, MakeFault } from './fault-effect.ts';
import { chosen, runningPod } from './fault-effect.ts';

/** The sessions that a kill cuts at once; of others the server learns only by their silence. */
const noticedShare = { of: 2 };
/** As much as hosts with working time service differ, for a while. */
const jumpMaxMs = 1_500;
/** Who delivers must bear clocks that are out by more than a claim lasts. */
const deliveryJumpMaxMs = 15_000;

function kill(role: string): MakeFault {
  return (world, fault) => {
    const pod = runningPod(world, role, fault);
    if (pod === undefined) return false;
    pod.kill(fault.choice % noticedShare.of === 0);
    world.startLater(pod);
    return true;
  };
}

function freeze(role: string): MakeFault {
  return (world, fault) => {
    const pod = runningPod(world, role, fault);
    if (pod?.freeze() !== true) return false;
    return () => pod.thaw();
  };
}

function jump(roles: readonly RoleName[], maxMs: number): MakeFault {
  return (world, fault) => {
    const pods = world.pods.filter(({ role }) => roles.length === 0 || roles.includes(role));
    const pod = chosen(pods, fault.target);
    if (pod === undefined) return false;
    const byMs = (fault.choice % (2 * maxMs + 1)) - maxMs;
    pod.clock.jump(byMs);
    return () => pod.clock.jump(-byMs);
  };
}

function drain(role: string): MakeFault {
  return (world, fault) => runningPod(world, role, fault)?.drain() ?? false;
}

/** See the file header. */
export const podFaults: FaultTable<
  | `kill${'Cell' | 'Gateway' | 'Relay' | 'Adapter'}`
  | `freeze${'Cell' | 'Gateway' | 'Relay' | 'Adapter'}`
  | `drain${'Cell' | 'Gateway' | 'Relay' | 'Adapter'}`
  | 'clockJump'
  | 'deliveryClockJump'
  | 'killerRecord'
> = {
  killCell: kill('cell'),
  killGateway: kill('gateway'),
  killRelay: kill('relay'),
  killAdapter: kill('adapter'),
  freezeCell: freeze('cell'),
  freezeGateway: freeze('gateway'),
  freezeRelay: freeze('relay'),
  freezeAdapter: freeze('adapter'),
  drainCell: drain('cell'),
  drainGateway: drain('gateway'),
  drainRelay: drain('relay'),
  drainAdapter: drain('adapter'),
  killerRecord(world, { target }) {
    return world.killers.order(target % world.partitionCount);
  },
  clockJump: jump([], jumpMaxMs),
  deliveryClockJump: jump(['relay', 'adapter-im', 'adapter-activity'], deliveryJumpMaxMs),
};
