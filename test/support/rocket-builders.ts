/** Rules of a rocket for tests: as many levels as there are targets. */
import type { RocketReward, RocketRules } from '../../src/domain/rocket/rocket-rules.ts';

/** What a test may say beside the targets. */
interface RuleFields extends Partial<Omit<RocketRules, 'levels'>> {
  readonly countdownMs?: number;
  /** Of every level. */
  readonly rewards?: readonly RocketReward[];
}

/** Version 1, one fuel for a coin, a countdown of 10 s, robots left out, overflow carried. */
export function rocketRules(targets: readonly bigint[], fields: RuleFields = {}): RocketRules {
  const { countdownMs = 10_000, rewards = [], ...rest } = fields;
  return {
    rulesVersion: 1n,
    enabled: true,
    levels: targets.map((fuelTarget) => ({ fuelTarget, countdownMs, rewards })),
    fuelPerCoin: 1n,
    reset: 'round',
    minimumContribution: 1n,
    overflow: 'carry',
    countsRobots: false,
    ...rest,
  };
}
