/** One fault of the schedule, whichever family it is of. */
import { isLinkFault, isPodFault } from '../plan/fault-kinds.ts';
import type { PlannedFault } from '../plan/schedule.ts';
import type { FaultGround } from './fault-ground.ts';
import { strikeLink } from './link-faults.ts';
import { strikePod } from './pod-faults.ts';
import { strikeServer } from './server-faults.ts';

/**
 * Strikes, waits until its effect is seen, and makes whole again what was struck; answers whom it
 * befell. Rejects when no effect is seen in time.
 */
export function strike(ground: FaultGround, fault: PlannedFault): Promise<string> {
  const { kind } = fault;
  if (isPodFault(kind)) return strikePod(ground, kind, fault);
  if (isLinkFault(kind)) return strikeLink(ground, kind, fault);
  return strikeServer(ground, kind, fault);
}
