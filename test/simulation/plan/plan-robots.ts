/** How robots are played in a run: accounts, and the rules that operators put in force one after another. */
import { SimRandom } from '../kernel/sim-random.ts';

/** Robots of a run, of every app alike. Times in virtual ms. */
export interface PlannedRobots {
  /** Accounts of each app. */
  readonly accounts: number;
  /** Whether their gifts count like any. */
  readonly giftsCount: boolean;
  /** The account that pays for their gifts; '': each its own. */
  readonly walletAccount: string;
  readonly pauseMaxMs: number;
  readonly stayMaxMs: number;
  /** The first are in force from the start; all are over with the storm. */
  readonly rules: readonly PlannedRules[];
}

/** Rules as an operator puts them in force. */
export interface PlannedRules {
  readonly fromMs: number;
  /** In a room of people. */
  readonly perRoomMax: number;
  readonly quota: number;
  /** Robot rooms, and the robots of each. */
  readonly rooms: number;
  readonly perHostRoom: number;
}

const share = 0.3;
const changesMax = 4;
/** The shortest storm is as long. */
const changesUntilMs = 20_000;

/** Drawn apart from the rest. Without the field nobody plays robots. */
export function robotsOf(seed: number): { readonly robots?: PlannedRobots } {
  const random = new SimRandom(seed, 'robots');
  if (!random.chance(share)) return {};
  const changes = random.below(changesMax + 1);
  const moments = Array.from({ length: changes }, () => random.below(changesUntilMs));
  moments.sort((left, right) => left - right);
  const robots = {
    accounts: random.between(2, 10),
    giftsCount: random.chance(0.25),
    walletAccount: random.pick(['', 'house']),
    pauseMaxMs: random.pick([600, 1_500, 4_000]),
    stayMaxMs: random.pick([2_000, 20_000]),
    rules: [0, ...moments].map((fromMs) => ({
      fromMs,
      perRoomMax: random.below(4),
      quota: random.below(8),
      rooms: random.below(3),
      perHostRoom: random.between(1, 4),
    })),
  };
  return { robots };
}
