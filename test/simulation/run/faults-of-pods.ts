/** Faults of processes and their machines. */
import type { FaultTable, MakeFault } from './fault-effect.ts';
import { chosen, runningPod } from './fault-effect.ts';

/** The sessions that a kill cuts at once; of others the server learns only by their silence. */
const noticedShare = { of: 2 };
/** As much as hosts with working time service differ, for a while. */
const jumpMaxMs = 1_500;

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

function drain(role: string): MakeFault {
  return (world, fault) => runningPod(world, role, fault)?.drain() ?? false;
}

/** See the file header. */
export const podFaults: FaultTable<
  | `kill${'Cell' | 'Gateway' | 'Relay' | 'Adapter'}`
  | `freeze${'Cell' | 'Gateway' | 'Relay' | 'Adapter'}`
  | `drain${'Cell' | 'Gateway' | 'Relay' | 'Adapter'}`
  | 'clockJump'
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
  clockJump(world, fault) {
    const pod = chosen(world.pods, fault.target);
    if (pod === undefined) return false;
    const byMs = (fault.choice % (2 * jumpMaxMs + 1)) - jumpMaxMs;
    pod.clock.jump(byMs);
    return () => pod.clock.jump(-byMs);
  },
};
