/** What the rocket's events and state hold, from the wire. */
import type { GiftSender } from '../domain/room/state.ts';
import type { RocketWinner } from '../domain/rocket/rocket-events.ts';
import type { RocketReward } from '../domain/rocket/rocket-rules.ts';
import type { RocketIgnition, RocketState } from '../domain/rocket/rocket-state.ts';
import type { Wire } from './wire-shape.ts';

/** One row of a level's table of rewards as plain data. */
export function rocketRewardFromWire(reward: Wire<RocketReward>): RocketReward {
  const { fromRank, toRank, rewardId, quantity } = reward;
  return { fromRank, toRank, rewardId, quantity };
}

/** One winner as plain data. */
export function rocketWinnerFromWire(winner: Wire<RocketWinner>): RocketWinner {
  const { userId, coins, rank } = winner;
  const prizes = winner.prizes.map(({ rewardId, quantity }) => ({ rewardId, quantity }));
  return { userId, coins, rank, prizes };
}

/** A room's rocket as plain data. Contributors stand in rank order on the wire too. */
export function rocketFromWire(rocket: Wire<RocketState>): RocketState {
  const { roundNo, level, fuel, fuelTarget, rulesVersion, startedAtMs } = rocket;
  return {
    roundNo,
    level,
    fuel,
    fuelTarget,
    rulesVersion,
    startedAtMs,
    ignition: rocket.ignition === null ? null : ignitionFromWire(rocket.ignition),
    contributors: rocket.contributors.map(contributorFromWire),
  };
}

function ignitionFromWire(ignition: Wire<RocketIgnition>): RocketIgnition {
  return {
    igniterUserId: ignition.igniterUserId,
    ignitedAtMs: ignition.ignitedAtMs,
    launchAtMs: ignition.launchAtMs,
    carriedFuel: ignition.carriedFuel,
    minimumContribution: ignition.minimumContribution,
    rewards: ignition.rewards.map(rocketRewardFromWire),
    nextLevel: ignition.nextLevel,
    nextFuelTarget: ignition.nextFuelTarget,
  };
}

function contributorFromWire({ userId, coins, reachedAtVersion }: Wire<GiftSender>): GiftSender {
  return { userId, coins, reachedAtVersion };
}
