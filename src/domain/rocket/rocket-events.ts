/** What happened to a room's rocket. */
import type { UserId } from '../ids.ts';
import type { RocketReward } from './rocket-rules.ts';

/** A gift made fuel; one event per command, in the commit of the gift (ROCKET-3). */
export interface RoomRocketFueled {
  readonly type: 'RoomRocketFueled';
  readonly userId: UserId;
  /** Coins of the whole gift. */
  readonly coins: bigint;
  /** What was added: to the round while it charges, to what waits for the next one afterwards. */
  readonly fuel: bigint;
  /** Greater than the room's: the gift opened this round. */
  readonly roundNo: bigint;
  readonly level: number;
  readonly fuelTarget: bigint;
  readonly rulesVersion: bigint;
}

/** The fuel reached its target; once per round (EVT-4). */
export interface RoomRocketIgnited {
  readonly type: 'RoomRocketIgnited';
  readonly roundNo: bigint;
  readonly level: number;
  /** The target, which it reached. */
  readonly fuel: bigint;
  readonly igniterUserId: UserId;
  readonly launchAtMs: number;
  readonly rulesVersion: bigint;
  /** What the launch will need; fixed here, whatever the rules become meanwhile. */
  readonly carriedFuel: bigint;
  readonly minimumContribution: bigint;
  readonly rewards: readonly RocketReward[];
  readonly nextLevel: number;
  readonly nextFuelTarget: bigint;
}

/** What a winner's place gets. */
export interface RocketPrize {
  readonly rewardId: string;
  readonly quantity: bigint;
}

/** One of those who gave most in a round. */
export interface RocketWinner {
  readonly userId: UserId;
  /** Coins given in the round. */
  readonly coins: bigint;
  /** From 1, without gaps. */
  readonly rank: number;
  /** May be empty: the place is named although nothing is given for it. */
  readonly prizes: readonly RocketPrize[];
}

/** The rocket flew, and the next round is open; once per round. */
export interface RoomRocketLaunched {
  readonly type: 'RoomRocketLaunched';
  readonly roundNo: bigint;
  readonly level: number;
  readonly igniterUserId: UserId;
  readonly launchAtMs: number;
  readonly rulesVersion: bigint;
  /** In rank order. Whoever consumes the fact hands the prizes out, once per event id and place. */
  readonly winners: readonly RocketWinner[];
  readonly nextRoundNo: bigint;
  readonly nextLevel: number;
  readonly nextFuelTarget: bigint;
  /** What the next round begins with. */
  readonly nextFuel: bigint;
}
