/** Draws the faults of a run beforehand, as data; one period in four is calm. */
import { SimRandom } from '../kernel/sim-random.ts';
import type { FaultKind, PlannedFault } from './fault-kinds.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

const periodMs = 2_500;
const calmPeriodShare = 0.25;
const lengthMs = { shortest: 50, longest: 12_000 };
const choices = 1_000_000;

/** In the order of their times. */
export function planFaults(options: SimOptions): readonly PlannedFault[] {
  const random = new SimRandom(options.seed, 'faults');
  const faults: PlannedFault[] = [];
  for (let fromMs = 0; fromMs < options.stormMs; fromMs += periodMs) {
    if (random.chance(calmPeriodShare)) continue;
    const untilMs = Math.min(fromMs + periodMs, options.stormMs);
    for (const [kind, perSecond] of Object.entries(options.faultRates)) {
      const count = countOf(random, (perSecond * (untilMs - fromMs)) / 1_000);
      for (let nth = 0; nth < count; nth += 1) {
        faults.push({
          atMs: Math.round(warmUpMs + fromMs + random.fraction() * (untilMs - fromMs)),
          kind: kind as FaultKind,
          target: random.below(choices),
          // Short ones are many, long ones are few.
          lengthMs: Math.round(
            lengthMs.shortest * (lengthMs.longest / lengthMs.shortest) ** random.fraction(),
          ),
          choice: random.below(choices),
        });
      }
    }
  }
  return faults.sort((one, other) => one.atMs - other.atMs);
}

/** A whole number whose mean is `mean`. */
function countOf(random: SimRandom, mean: number): number {
  const whole = Math.floor(mean);
  return whole + (random.chance(mean - whole) ? 1 : 0);
}
