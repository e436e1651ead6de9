/**
 * LaunchRocket: the end of a countdown (ROCKET-6). Asked by the room's own deadline, however late: a
 * room that is recovered behind it launches at once (ROCKET-7). A room that has closed has no rocket
 * any more, so a late question finds nothing (ROCKET-8).
 */
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { LaunchRocket } from './rocket-commands.ts';
import type { RocketPrize, RocketWinner, RoomRocketLaunched } from './rocket-events.ts';
import { rocketWinnersMax, type RocketReward } from './rocket-rules.ts';
import type { RocketIgnition, RocketState } from './rocket-state.ts';

/** Decides LaunchRocket for every room that exists: only this round, ignited, its time over, flies. */
export function decideLaunchRocket(body: LaunchRocket, nowMs: number, state: RoomState): Decision {
  const { rocket } = state;
  // Race (tests of "a launch"): deadline, scheduler and a takeover all ask, in any order.
  //   1. The first one that is decided launches round n and opens round n + 1 in one commit.
  //   2. Every other one names round n and finds n + 1: nothing. The room's log decides, no clock.
  if (rocket === null || rocket.ignition === null) return noEffect();
  if (rocket.roundNo !== body.roundNo || nowMs < rocket.ignition.launchAtMs) return noEffect();
  return applied([launched(rocket, rocket.ignition)]);
}

function launched(rocket: RocketState, ignition: RocketIgnition): RoomRocketLaunched {
  const { roundNo, level, rulesVersion } = rocket;
  const { igniterUserId, launchAtMs, nextLevel, nextFuelTarget, carriedFuel } = ignition;
  return {
    type: 'RoomRocketLaunched',
    roundNo,
    level,
    igniterUserId,
    launchAtMs,
    rulesVersion,
    winners: winnersOf(rocket, ignition),
    nextRoundNo: roundNo + 1n,
    nextLevel,
    nextFuelTarget,
    nextFuel: carriedFuel,
  };
}

/** Who gave enough, in rank order, wherever they are now: they gave it while they were here. */
function winnersOf(
  { contributors }: RocketState,
  { minimumContribution, rewards }: RocketIgnition,
): readonly RocketWinner[] {
  return contributors
    .filter(({ coins }) => coins >= minimumContribution)
    .slice(0, rocketWinnersMax)
    .map(({ userId, coins }, index) => {
      const rank = index + 1;
      return { userId, coins, rank, prizes: prizesOf(rewards, rank) };
    });
}

function prizesOf(rewards: readonly RocketReward[], rank: number): readonly RocketPrize[] {
  return rewards
    .filter(({ fromRank, toRank }) => fromRank <= rank && rank <= toRank)
    .map(({ rewardId, quantity }) => ({ rewardId, quantity }));
}
