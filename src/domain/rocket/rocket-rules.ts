/**
 * How the rocket of an app's rooms works (ROCKET-1). Rules come as a fact with every gift: the
 * version in force then counts, and the event that it makes names that version.
 */

/** What one place of the winners gets. What it is and who hands it out is the activity service's. */
export interface RocketReward {
  /** First place that gets it, from 1 … */
  readonly fromRank: number;
  /** … to the last one, at most `rocketWinnersMax`. */
  readonly toRank: number;
  /** The activity service's name for it. */
  readonly rewardId: string;
  readonly quantity: bigint;
}

/** One step of the ladder that a room's rocket climbs. */
export interface RocketLevel {
  /** Fuel at which the rocket ignites. */
  readonly fuelTarget: bigint;
  /** From ignition to launch. */
  readonly countdownMs: number;
  readonly rewards: readonly RocketReward[];
}

/** One version of an app's rules. */
export interface RocketRules {
  /** 1, 2, 3 … per app. */
  readonly rulesVersion: bigint;
  /** False: gifts make no fuel. A rocket that is ignited still launches. */
  readonly enabled: boolean;
  /** The first round is flown on the first level, the next on the next; behind the last the first. */
  readonly levels: readonly RocketLevel[];
  readonly fuelPerCoin: bigint;
  /** `day`: with the first gift of a UTC day a charging rocket is empty again and on level 1. */
  readonly reset: 'round' | 'day';
  /** Coins that a contributor must have given in the round to be among its winners. */
  readonly minimumContribution: bigint;
  /** Fuel above the target and that of the countdown: kept for the next round, or lost. */
  readonly overflow: 'carry' | 'cap';
  /** Whether gifts of robots make fuel and win (ROCKET-9). */
  readonly countsRobots: boolean;
}

/** Levels of one version of the rules. */
export const rocketLevelsMax = 20;
/** Entries in the table of rewards of one level. */
export const rocketRewardsMax = 20;
/** Winners that a launch names; no reward reaches further. */
export const rocketWinnersMax = 20;
/** Longest countdown: a room is not kept waiting for longer than an hour. */
export const rocketCountdownMaxMs = 3_600_000;
/** Shortest countdown: clients must have heard of the ignition. */
export const rocketCountdownMinMs = 1_000;
/** Most fuel for one coin. */
export const fuelPerCoinMax = 1_000_000n;
/** Most fuel that is counted: a signed 64-bit number. What is more is not counted. */
export const fuelMax = 2n ** 63n - 1n;
/** Length of a reward's name, in characters of `[A-Za-z0-9_.:-]`. */
export const rewardIdLengthMax = 64;

/** Everything that is wrong with rules that somebody wants to store; empty when they are right. */
export function rocketRulesFaults(rules: Omit<RocketRules, 'rulesVersion'>): readonly string[] {
  const { levels, fuelPerCoin, minimumContribution } = rules;
  const faults: string[] = [];
  if (levels.length < 1 || levels.length > rocketLevelsMax) {
    faults.push(`levels: not 1 to ${rocketLevelsMax}`);
  }
  if (fuelPerCoin < 1n || fuelPerCoin > fuelPerCoinMax) {
    faults.push(`fuel_per_coin: not 1 to ${fuelPerCoinMax}`);
  }
  if (minimumContribution < 0n || minimumContribution > fuelMax) {
    faults.push('minimum_contribution: not a sum of coins');
  }
  return [...faults, ...levels.flatMap((level, index) => levelFaults(level, index + 1))];
}

function levelFaults({ fuelTarget, countdownMs, rewards }: RocketLevel, level: number): string[] {
  const faults: string[] = [];
  const named = (text: string) => `level ${level}: ${text}`;
  if (fuelTarget < 1n || fuelTarget > fuelMax) faults.push(named('fuel_target: not above 0'));
  const isWhole = Number.isInteger(countdownMs);
  if (!isWhole || countdownMs < rocketCountdownMinMs || countdownMs > rocketCountdownMaxMs) {
    faults.push(named(`countdown_ms: not ${rocketCountdownMinMs} to ${rocketCountdownMaxMs}`));
  }
  if (rewards.length > rocketRewardsMax) {
    faults.push(named(`rewards: more than ${rocketRewardsMax}`));
  }
  for (const reward of rewards) {
    const fault = rewardFault(reward);
    if (fault !== null) faults.push(named(`reward ${reward.rewardId}: ${fault}`));
  }
  return faults;
}

function rewardFault({ fromRank, toRank, rewardId, quantity }: RocketReward): string | null {
  const areRanks = Number.isInteger(fromRank) && Number.isInteger(toRank);
  if (!areRanks || fromRank < 1 || toRank < fromRank || toRank > rocketWinnersMax) {
    return `ranks not within 1 to ${rocketWinnersMax}`;
  }
  if (!/^[A-Za-z0-9_.:-]+$/.test(rewardId) || rewardId.length > rewardIdLengthMax) {
    return 'reward_id malformed';
  }
  return quantity < 1n || quantity > fuelMax ? 'quantity: not above 0' : null;
}
