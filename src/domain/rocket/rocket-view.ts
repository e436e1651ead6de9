/** What a client sees of a room's rocket: bounded, whole, with nothing that only the launch needs. */
import { giftRank, type RankItem } from '../gift/gift-rank.ts';
import type { UserId } from '../ids.ts';
import type { RocketState } from './rocket-state.ts';

/** See the file header. */
export interface RocketView {
  readonly roundNo: bigint;
  readonly level: number;
  /** `ignited`: the countdown runs. A launch is over with its event; the next round is charging. */
  readonly status: 'charging' | 'ignited';
  readonly fuel: bigint;
  readonly fuelTarget: bigint;
  /** By rule `day`, a charging round of an earlier UTC day ends with the next gift. */
  readonly startedAtMs: number;
  /** '' while charging. */
  readonly igniterUserId: UserId | '';
  /** 0 while charging. */
  readonly launchAtMs: number;
  /** Who gave most in this round, as many as the room's rank shows. */
  readonly contributors: readonly RankItem[];
}

/** The view of a rocket with its first `rankMax` contributors; null for a room without one. */
export function rocketView(rocket: RocketState | null, rankMax: number): RocketView | null {
  if (rocket === null) return null;
  const { roundNo, level, fuel, fuelTarget, startedAtMs, ignition, contributors } = rocket;
  return {
    roundNo,
    level,
    status: ignition === null ? 'charging' : 'ignited',
    fuel,
    fuelTarget,
    startedAtMs,
    igniterUserId: ignition?.igniterUserId ?? '',
    launchAtMs: ignition?.launchAtMs ?? 0,
    contributors: giftRank(contributors, rankMax),
  };
}
