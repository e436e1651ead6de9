/** What a planned fault does when its time has come. */
import type { FaultKind, PlannedFault } from '../plan/fault-kinds.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';

/**
 * `false`: there was nobody to hit. A function ends what lasts; it is called after the fault's
 * length, or when the storm is over. `whenOver` is called only then.
 */
export type FaultEffect = boolean | (() => void) | { readonly whenOver: () => void };

/** Makes one kind happen. */
export type MakeFault = (world: World, fault: PlannedFault) => FaultEffect;

/** Kinds by name; together the tables hold every kind. */
export type FaultTable<Kind extends FaultKind = FaultKind> = Readonly<Record<Kind, MakeFault>>;

/** The item that a fault means. */
export function chosen<T>(items: readonly T[], choice: number): T | undefined {
  return items[choice % items.length];
}

/** A process that runs, of those whose role begins like this. */
export function runningPod(world: World, role: string, fault: PlannedFault): Pod | undefined {
  const running = world.pods.filter((pod) => pod.role.startsWith(role) && pod.state !== 'down');
  return chosen(running, fault.target);
}
