/** Draws the faults of a run beforehand, as data; one period in four is calm. */
import { SimRandom } from '../kernel/sim-random.ts';
import { luckyFaultKinds, readFaultKinds, rtcFaultKinds } from './fault-kinds.ts';
import type { FaultKind, PlannedFault, PlannedFiring } from './fault-kinds.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

const periodMs = 2_500;
const calmPeriodShare = 0.25;
const lengthMs = { shortest: 50, longest: 12_000 };
const firingShare = 0.25;
const choices = 1_000_000;
/** Of one aimed kind in a run: each takes long, and they must stay few beside the ordinary ones. */
const aimedMax = 3;

/** In the order of their times. */
export function planFaults(options: SimOptions): readonly PlannedFault[] {
  const apart = { ...readFaultKinds, ...rtcFaultKinds, ...luckyFaultKinds };
  const among = (isOne: (kind: string) => boolean): readonly (readonly [string, number])[] =>
    Object.entries(options.faultRates).filter(([kind]) => isOne(kind));
  const others = among((kind) => !Object.hasOwn(apart, kind));
  const faults = [
    ...ordinaryFaults(options, 'faults', others),
    ...ordinaryFaults(
      options,
      'faults of reads',
      among((kind) => Object.hasOwn(readFaultKinds, kind)),
    ),
    ...ordinaryFaults(
      options,
      'faults of rtc',
      among((kind) => Object.hasOwn(rtcFaultKinds, kind)),
    ),
    ...ordinaryFaults(
      options,
      'faults of lucky gifts',
      among((kind) => Object.hasOwn(luckyFaultKinds, kind)),
    ),
    ...aimedFaults(options),
  ];
  return faults.sort((one, other) => one.atMs - other.atMs);
}

/** From a generator of their own, so that they shift no other fault. */
function aimedFaults(options: SimOptions): readonly PlannedFault[] {
  const random = new SimRandom(options.seed, 'aimed faults');
  return options.aimed.flatMap((kind) => {
    return Array.from({ length: random.between(1, aimedMax) }, () => ({
      atMs: Math.round(warmUpMs + random.fraction() * options.stormMs),
      kind,
      target: random.below(choices),
      lengthMs: lengthOf(random),
      choice: random.below(choices),
    }));
  });
}

function ordinaryFaults(
  options: SimOptions,
  generator: string,
  rates: readonly (readonly [string, number])[],
): readonly PlannedFault[] {
  const random = new SimRandom(options.seed, generator);
  const faults: PlannedFault[] = [];
  for (let fromMs = 0; fromMs < options.stormMs; fromMs += periodMs) {
    if (random.chance(calmPeriodShare)) continue;
    const untilMs = Math.min(fromMs + periodMs, options.stormMs);
    for (const [kind, perSecond] of rates) {
      const count = countOf(random, (perSecond * (untilMs - fromMs)) / 1_000);
      for (let nth = 0; nth < count; nth += 1) {
        faults.push({
          atMs: Math.round(warmUpMs + fromMs + random.fraction() * (untilMs - fromMs)),
          kind: kind as FaultKind,
          target: random.below(choices),
          lengthMs: lengthOf(random),
          choice: random.below(choices),
        });
      }
    }
  }
  return faults;
}

/** Each active point fires with one pass in four, the first time; the run bears so many in all. */
export function planFirings(options: SimOptions): readonly PlannedFiring[] {
  const random = new SimRandom(options.seed, 'firings');
  const firings = options.points.map((point) => {
    let nth = 1;
    while (!random.chance(firingShare)) nth += 1;
    const what = random.pick(['kill', 'vanish', 'freeze'] as const);
    return { order: random.fraction(), firing: { point, nth, what, lengthMs: lengthOf(random) } };
  });
  return firings
    .sort((one, other) => one.order - other.order)
    .slice(0, options.pointFiringsMax)
    .map(({ firing }) => firing);
}

/** Short ones are many, long ones are few. */
function lengthOf(random: SimRandom): number {
  const { shortest, longest } = lengthMs;
  return Math.round(shortest * (longest / shortest) ** random.fraction());
}

/** A whole number whose mean is `mean`. */
function countOf(random: SimRandom, mean: number): number {
  const whole = Math.floor(mean);
  return whole + (random.chance(mean - whole) ? 1 : 0);
}
