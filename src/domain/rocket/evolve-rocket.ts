/** What the rocket's events make of its state. RoomClosed ends it in `room/evolve-room.ts`. */
import { assert, assertDefined } from '../../kernel/assert.ts';
import { withGiftSender } from '../gift/gift-rank.ts';
import type { EventPosition } from '../room/decision.ts';
import type { RoomState } from '../room/state.ts';
import { capped } from './fuel-rocket.ts';
import type { RoomRocketFueled, RoomRocketIgnited, RoomRocketLaunched } from './rocket-events.ts';
import type { RocketState } from './rocket-state.ts';

/** The room after an event about its rocket. */
export function evolveRocket(
  state: RoomState,
  event: RoomRocketFueled | RoomRocketIgnited | RoomRocketLaunched,
  position: EventPosition,
): RoomState {
  switch (event.type) {
    case 'RoomRocketFueled':
      return evolveRocketFueled(state, event, position);
    case 'RoomRocketIgnited':
      return evolveRocketIgnited(state, event, position);
    case 'RoomRocketLaunched':
      return evolveRocketLaunched(state, event, position);
  }
}

/** RoomRocketFueled: fuel and the sender's part grow; a greater round number opens a new round. */
function evolveRocketFueled(
  state: RoomState,
  event: RoomRocketFueled,
  position: EventPosition,
): RoomState {
  const { roundNo, level, fuelTarget, rulesVersion, userId, coins } = event;
  const before = state.rocket;
  assert(before === null || roundNo >= before.roundNo, 'fuel for a round that is over', {
    roundNo,
  });
  const isOver = before === null || before.ignition === null || roundNo === before.roundNo;
  assert(isOver, 'a round ended without a launch', { roundNo });
  const round: RocketState =
    before !== null && before.roundNo === roundNo
      ? before
      : openRound({ roundNo, level, fuelTarget, rulesVersion, fuel: 0n }, position);
  const sender = {
    userId,
    coins: capped(
      (round.contributors.find((other) => other.userId === userId)?.coins ?? 0n) + coins,
    ),
    reachedAtVersion: position.version,
  };
  const contributors = withGiftSender(round.contributors, sender);
  const { ignition } = round;
  if (ignition !== null) {
    const carriedFuel = capped(ignition.carriedFuel + event.fuel);
    return {
      ...state,
      rocket: { ...round, contributors, ignition: { ...ignition, carriedFuel } },
    };
  }
  const fuel = capped(round.fuel + event.fuel);
  return { ...state, rocket: { ...round, level, fuelTarget, rulesVersion, fuel, contributors } };
}

/** RoomRocketIgnited: the round waits for its launch. */
function evolveRocketIgnited(
  state: RoomState,
  event: RoomRocketIgnited,
  position: EventPosition,
): RoomState {
  const rocket = assertDefined(state.rocket, 'a rocket ignited that was never fueled');
  const isCharging = rocket.roundNo === event.roundNo && rocket.ignition === null;
  assert(isCharging, 'a round ignites once', { roundNo: event.roundNo });
  const { igniterUserId, launchAtMs, carriedFuel, minimumContribution, rewards } = event;
  const { nextLevel, nextFuelTarget } = event;
  const ignition = {
    igniterUserId,
    ignitedAtMs: position.occurredAtMs,
    launchAtMs,
    carriedFuel,
    minimumContribution,
    rewards,
    nextLevel,
    nextFuelTarget,
  };
  return { ...state, rocket: { ...rocket, fuel: event.fuel, ignition } };
}

/** RoomRocketLaunched: the next round is open with what was carried over. */
function evolveRocketLaunched(
  state: RoomState,
  event: RoomRocketLaunched,
  position: EventPosition,
): RoomState {
  const { rocket } = state;
  const isIgnited = rocket?.roundNo === event.roundNo && rocket.ignition !== null;
  assert(isIgnited, 'a launch of a round that is not ignited', { roundNo: event.roundNo });
  const next = {
    roundNo: event.nextRoundNo,
    level: event.nextLevel,
    fuelTarget: event.nextFuelTarget,
    rulesVersion: event.rulesVersion,
    fuel: event.nextFuel,
  };
  return { ...state, rocket: openRound(next, position) };
}

function openRound(
  round: Pick<RocketState, 'roundNo' | 'level' | 'fuelTarget' | 'rulesVersion' | 'fuel'>,
  position: EventPosition,
): RocketState {
  return { ...round, startedAtMs: position.occurredAtMs, ignition: null, contributors: [] };
}
