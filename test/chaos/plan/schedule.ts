/**
 * The faults of a run, dealt beforehand from its seed: the same seed deals the same faults at the same
 * targets. What comes of them is up to the real world and differs from run to run.
 */
import { SimRandom } from '../../simulation/kernel/sim-random.ts';
import { cardsOf, isLinkFault, opening, type Dependency, type FaultKind } from './fault-kinds.ts';

/** One cycle's fault. */
export interface PlannedFault {
  /** From 1. */
  readonly cycle: number;
  readonly kind: FaultKind;
  /** Which of those that it may befall: a share of them, from 0 to below 1. */
  readonly target: number;
  /** Links only. */
  readonly dependency: Dependency | null;
  /** How long a lasting fault lasts, in ms; it ends earlier never and later when no effect is seen. */
  readonly lastsMs: number;
}

const lastsMs = { min: 1_000, max: 4_000 };
const dependencies = { kafka: 3, mysql: 4, redis: 2, wallet: 2 } as const;

/** As many faults as there are cycles. Decks are dealt to their end: no kind is left out by chance. */
export function scheduleOf(seed: number, cycles: number): readonly PlannedFault[] {
  const random = new SimRandom(seed, 'chaos schedule');
  const faults: PlannedFault[] = [];
  while (faults.length < cycles) {
    for (const kind of deck(random)) {
      faults.push({
        cycle: faults.length + 1,
        kind,
        target: random.fraction(),
        dependency: isLinkFault(kind) ? random.weighted(dependencies) : null,
        lastsMs: random.between(lastsMs.min, lastsMs.max),
      });
    }
  }
  return faults.slice(0, cycles);
}

/** The opening and behind it the other cards, shuffled. */
function deck(random: SimRandom): readonly FaultKind[] {
  const left = { ...cardsOf };
  for (const kind of opening) left[kind] -= 1;
  const others = (Object.keys(left) as FaultKind[]).flatMap((kind) =>
    Array.from({ length: left[kind] }, () => kind),
  );
  const shuffled: FaultKind[] = [];
  while (others.length > 0) shuffled.push(...others.splice(random.below(others.length), 1));
  return [...opening, ...shuffled];
}
