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

/** The opening, behind it what it lacks, once each, and behind that the other cards; both shuffled. */
function deck(random: SimRandom): readonly FaultKind[] {
  const kinds = Object.keys(cardsOf) as FaultKind[];
  const lacking = kinds.filter((kind) => !opening.includes(kind));
  const others = kinds.flatMap((kind) => Array.from({ length: cardsOf[kind] - 1 }, () => kind));
  return [...opening, ...shuffled(lacking, random), ...shuffled(others, random)];
}

function shuffled(cards: readonly FaultKind[], random: SimRandom): readonly FaultKind[] {
  const left = [...cards];
  const dealt: FaultKind[] = [];
  while (left.length > 0) dealt.push(...left.splice(random.below(left.length), 1));
  return dealt;
}
