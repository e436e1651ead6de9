/** What an event makes of a room's rocket, the checkers' way; see `evolved.ts`. */
import type { RocketEvent } from './logged-event.ts';
import { ranked } from './room-model.ts';
import type { RocketModel } from './room-model.ts';

/** Contributors that a round remembers. */
const contributorsMax = 100;

/** The rocket after the event; null where the event speaks of a rocket that there is not. */
export function flown(
  rocket: RocketModel | null,
  event: RocketEvent,
  version: bigint,
  atMs: bigint,
): RocketModel | null {
  switch (event.type) {
    case 'RoomRocketFueled':
      return fueled(rocket, event, version, atMs);
    case 'RoomRocketIgnited': {
      if (rocket === null) return null;
      const { igniterUserId, launchAtMs, carriedFuel, minimumContribution, rewards } = event;
      const { nextLevel, nextFuelTarget } = event;
      const said = { igniterUserId, launchAtMs, carriedFuel, minimumContribution, rewards };
      const ignition = { ...said, nextLevel, nextFuelTarget, ignitedAtMs: atMs };
      return { ...rocket, fuel: event.fuel, ignition };
    }
    case 'RoomRocketLaunched': {
      const { nextRoundNo, nextLevel, nextFuelTarget, nextFuel, rulesVersion } = event;
      const next = { roundNo: nextRoundNo, level: nextLevel, fuel: nextFuel };
      return { ...fresh(atMs), ...next, fuelTarget: nextFuelTarget, rulesVersion };
    }
  }
}

function fueled(
  rocket: RocketModel | null,
  event: Extract<RocketEvent, { type: 'RoomRocketFueled' }>,
  version: bigint,
  atMs: bigint,
): RocketModel {
  const { roundNo, level, fuelTarget, rulesVersion, userId } = event;
  const isNew = rocket === null || rocket.roundNo !== roundNo;
  const round = isNew ? { ...fresh(atMs), roundNo } : rocket;
  const before = round.contributors.find((other) => other.userId === userId)?.coins ?? 0n;
  const others = round.contributors.filter((other) => other.userId !== userId);
  const giver = { userId, coins: before + event.coins, reachedAtVersion: version };
  const contributors = ranked([...others, giver]).slice(0, contributorsMax);
  if (round.ignition !== null) {
    const carriedFuel = round.ignition.carriedFuel + event.fuel;
    return { ...round, contributors, ignition: { ...round.ignition, carriedFuel } };
  }
  const fuel = round.fuel + event.fuel;
  return { ...round, level, fuel, fuelTarget, rulesVersion, contributors };
}

function fresh(startedAtMs: bigint): RocketModel {
  const empty = { fuel: 0n, fuelTarget: 0n, rulesVersion: 0n, ignition: null, contributors: [] };
  return { roundNo: 0n, level: 0, startedAtMs, ...empty };
}
