/** A whole run as data: options, calls and faults. From a seed, or from a file that outlives generators. */
import { planFaults, planFirings } from './plan-faults.ts';
import { planWorkload } from './plan-workload.ts';
import type { PlannedFault, PlannedFiring } from './fault-kinds.ts';
import type { Workload } from './planned-call.ts';
import { optionsOf, type SimOptions } from './sim-options.ts';

/** See the file header. */
export interface SimCase {
  readonly options: SimOptions;
  readonly workload: Workload;
  readonly faults: readonly PlannedFault[];
  readonly firings: readonly PlannedFiring[];
}

/** A case as it lies in `cases`, with what it is there for. */
export interface StoredCase extends SimCase {
  /** Day on which it was found. */
  readonly date: string;
  /** What it showed, and what mended it. */
  readonly cause: string;
}

/** The run of a seed. */
export function caseOf(seed: number): SimCase {
  const options = optionsOf(seed);
  return {
    options,
    workload: planWorkload(options),
    faults: planFaults(options),
    firings: planFirings(options),
  };
}
