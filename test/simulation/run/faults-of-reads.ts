/** Faults of the ways by which gateways and cells ask the owners of rooms. */
import type { readFaultKinds } from '../plan/fault-kinds.ts';
import type { ReadsWay } from '../world/reads-between-pods.ts';
import { chosen, type FaultTable, type MakeFault } from './fault-effect.ts';

function way(of: Exclude<ReadsWay, 'open'>): MakeFault {
  return (world, fault) => {
    const { reads } = world.servers;
    const cell = chosen(world.podsOf('cell'), fault.target);
    if (cell === undefined) return false;
    reads.setWay(cell.name, of);
    return () => reads.setWay(cell.name, 'open');
  };
}

/** See the file header. */
export const readFaults: FaultTable<keyof typeof readFaultKinds> = {
  readsRefused: way('refused'),
  readsSilent: way('silent'),
  readsLed(world, { target, choice }) {
    const { reads } = world.servers;
    const cells = world.podsOf('cell');
    const cell = chosen(cells, target);
    const other = chosen(
      cells.filter((each) => each !== cell),
      choice,
    );
    if (cell === undefined || other === undefined) return false;
    reads.lead(cell.name, other.name);
    return () => reads.lead(cell.name, cell.name);
  },
};
