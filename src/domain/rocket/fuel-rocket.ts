/**
 * What a paid gift does to the room's rocket (ROCKET-3): it adds fuel, and the one whose fuel reaches
 * the target ignites it. Part of SendGift's decision, so that fuel and gift commit together.
 */
import type { UserId } from '../ids.ts';
import type { RoomState } from '../room/state.ts';
import { utcDayOf } from './utc-day.ts';
import type { RoomRocketFueled, RoomRocketIgnited } from './rocket-events.ts';
import { fuelMax, type RocketLevel, type RocketRules } from './rocket-rules.ts';
import type { RocketState } from './rocket-state.ts';

/** A gift as the rocket sees it. */
export interface FuelGift {
  readonly senderUserId: UserId;
  /** Of all its targets together; positive. */
  readonly coins: bigint;
  readonly nowMs: number;
}

/**
 * The events of a gift about the rocket, to stand behind its RoomGiftSent: none, fuel, or fuel and
 * ignition. `rules` null: the app has no rocket, or the deployment cannot write its events yet.
 */
export function fuelRocket(
  gift: FuelGift,
  rules: RocketRules | null,
  state: RoomState,
): readonly (RoomRocketFueled | RoomRocketIgnited)[] {
  if (rules === null || !rules.enabled || rules.levels.length === 0) return [];
  if (!rules.countsRobots && state.users.get(gift.senderUserId)?.isRobot === true) return [];
  const round = roundOf(state.rocket, rules, gift.nowMs);
  const { roundNo } = round;
  const isIgnited = round.ignition !== null;
  const made = capped(gift.coins * rules.fuelPerCoin);
  // The target stands with an ignited round: it is what was reached.
  const level = isIgnited ? round.level : Math.min(round.level, rules.levels.length);
  const fuelTarget = isIgnited ? round.fuelTarget : levelOf(rules, level).fuelTarget;
  const { rulesVersion } = rules;
  const fueled: RoomRocketFueled = {
    type: 'RoomRocketFueled',
    userId: gift.senderUserId,
    coins: gift.coins,
    // A countdown under `cap` still counts who gives; the fuel itself has nowhere to go.
    fuel: isIgnited && rules.overflow === 'cap' ? 0n : made,
    roundNo,
    level,
    fuelTarget,
    rulesVersion,
  };
  const fuel = capped(round.fuel + made);
  if (isIgnited || fuel < fuelTarget) return [fueled];
  const { countdownMs, rewards } = levelOf(rules, level);
  const nextLevel = level >= rules.levels.length ? 1 : level + 1;
  const ignited: RoomRocketIgnited = {
    type: 'RoomRocketIgnited',
    roundNo,
    level,
    fuel: fuelTarget,
    igniterUserId: gift.senderUserId,
    launchAtMs: gift.nowMs + countdownMs,
    rulesVersion,
    carriedFuel: rules.overflow === 'carry' ? fuel - fuelTarget : 0n,
    minimumContribution: rules.minimumContribution,
    rewards,
    nextLevel,
    nextFuelTarget: levelOf(rules, nextLevel).fuelTarget,
  };
  return [fueled, ignited];
}

/** The sum, as far as it can be counted. */
export function capped(fuel: bigint): bigint {
  return fuel > fuelMax ? fuelMax : fuel;
}

/** The room's round, or the one that this gift opens: the first, or a day's first by rule `day`. */
function roundOf(
  rocket: RocketState | null,
  rules: RocketRules,
  nowMs: number,
): Pick<RocketState, 'roundNo' | 'level' | 'fuel' | 'fuelTarget' | 'ignition'> {
  const fresh = { level: 1, fuel: 0n, fuelTarget: 0n, ignition: null };
  if (rocket === null) return { roundNo: 1n, ...fresh };
  // An ignited rocket launches first, whatever the day.
  const isOver =
    rules.reset === 'day' &&
    rocket.ignition === null &&
    utcDayOf(rocket.startedAtMs) < utcDayOf(nowMs);
  return isOver ? { roundNo: rocket.roundNo + 1n, ...fresh } : rocket;
}

function levelOf(rules: RocketRules, level: number): RocketLevel {
  const found = rules.levels[level - 1];
  if (found === undefined) throw new RangeError(`the rules have no level ${level}`);
  return found;
}
