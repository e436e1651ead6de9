/**
 * A room's rocket as data (ROCKET-2). A round is charged by gifts, ignites when its fuel reaches the
 * target, and launches when its countdown is over; launching and opening the next round are one
 * event, so that no room is ever without a round in between.
 */
import type { GiftSender } from '../room/state.ts';
import type { UserId } from '../ids.ts';
import type { RocketReward } from './rocket-rules.ts';

/** An ignited rocket: all that its launch needs, by the rules under which it ignited. */
export interface RocketIgnition {
  readonly igniterUserId: UserId;
  readonly ignitedAtMs: number;
  /** From here on the launch is due. */
  readonly launchAtMs: number;
  /** Fuel that waits for the next round. */
  readonly carriedFuel: bigint;
  readonly minimumContribution: bigint;
  readonly rewards: readonly RocketReward[];
  readonly nextLevel: number;
  readonly nextFuelTarget: bigint;
}

/** The round that a room's rocket is in. */
export interface RocketState {
  /** 1, 2, 3 … per room. */
  readonly roundNo: bigint;
  /** From 1. */
  readonly level: number;
  readonly fuel: bigint;
  /** By the rules of the newest gift; those of another version may move it. */
  readonly fuelTarget: bigint;
  /** The version of those rules. */
  readonly rulesVersion: bigint;
  readonly startedAtMs: number;
  /** Null while charging. */
  readonly ignition: RocketIgnition | null;
  /**
   * Who gave how many coins in this round, in rank order, at most `topGiftSendersMax`. Whoever is
   * pushed out and gives again begins anew.
   */
  readonly contributors: readonly GiftSender[];
}
