/** What gifts make of the room's rocket (ROCKET-1, ROCKET-3, ROCKET-9). */
import { describe, expect, it } from 'vitest';
import type { RocketRules } from '../../../../src/domain/rocket/rocket-rules.ts';
import type { UserId } from '../../../../src/domain/ids.ts';
import { charged, closeRoom, sendGift } from '../../../support/command-builders.ts';
import type { GivenRoom, Outcome } from '../../../support/decider-spec.ts';
import { given } from '../../../support/decider-spec.ts';
import { rocketRules } from '../../../support/rocket-builders.ts';
import {
  alice,
  bob,
  created,
  fueled,
  gifted,
  ignited,
  ignitedBy,
  joined,
  owner,
} from '../../../support/room-builders.ts';

const room = given(created(), [joined(alice), joined(bob, { isRobot: true })]);
const dayMs = 86_400_000;

/** A gift of `coins` to alice. */
function give(
  on: GivenRoom,
  coins: bigint,
  rules: RocketRules | null,
  at: { readonly by?: UserId; readonly atMs?: number } = {},
): Outcome {
  const options = { by: alice, ...at, charge: charged(coins), rocketRules: rules };
  return on.when(sendGift([alice]), options);
}

describe('A gift', () => {
  it('adds its fuel in its own commit, by the rules in force and naming them (ROCKET-3)', () => {
    const rules = rocketRules([100n], { rulesVersion: 3n, fuelPerCoin: 2n });
    const first = give(room, 10n, rules).thenApplied([
      gifted(alice, alice, 10n),
      fueled(alice, 10n, { fuel: 20n, fuelTarget: 100n }),
    ]);
    expect(first.state.rocket).toMatchObject({ roundNo: 1n, level: 1, fuel: 20n, ignition: null });
    const later = rocketRules([300n], { rulesVersion: 4n });
    const { rocket } = give(first.room(), 5n, later).state;
    expect(rocket).toMatchObject({ fuel: 25n, fuelTarget: 300n, rulesVersion: 4n });
    expect(rocket?.contributors).toMatchObject([{ userId: alice, coins: 15n }]);
  });

  it('to several targets makes fuel of all its coins, once', () => {
    const options = { charge: charged(4n), rocketRules: rocketRules([100n]) };
    const { rocket } = room.when(sendGift([alice, bob]), options).state;
    expect(rocket?.fuel).toBe(8n);
  });

  it('that reaches the target ignites the rocket, once per round (ROCKET-3, EVT-4, CMD-25)', () => {
    const rules = rocketRules([10n, 50n], { rulesVersion: 3n, countdownMs: 7_000 });
    const full = give(room, 10n, rules, { atMs: 5_000_000 }).thenApplied([
      gifted(alice, alice, 10n),
      fueled(alice, 10n),
      ignited(alice, 5_007_000),
    ]);
    const again = give(full.room(), 10n, rules);
    expect(again.decision).toMatchObject({ events: [{}, { type: 'RoomRocketFueled' }] });
    expect(again.state.rocket?.ignition).toMatchObject({ igniterUserId: alice, carriedFuel: 10n });
  });

  it('above the target carries the rest to the next round, or loses it by rule (ROCKET-3)', () => {
    const carried = give(room, 16n, rocketRules([10n])).state.rocket;
    expect(carried).toMatchObject({ fuel: 10n, ignition: { carriedFuel: 6n } });
    const capped = give(room, 16n, rocketRules([10n], { overflow: 'cap' }));
    expect(capped.state.rocket).toMatchObject({ fuel: 10n, ignition: { carriedFuel: 0n } });
    const inCountdown = give(capped.room(), 16n, rocketRules([10n], { overflow: 'cap' }));
    expect(inCountdown.state.rocket?.ignition?.carriedFuel).toBe(0n);
    expect(inCountdown.state.rocket?.contributors).toMatchObject([{ coins: 32n }]);
  });

  it('makes no fuel without rules, with rules switched off, and from a robot by rule (ROCKET-9)', () => {
    expect(give(room, 10n, null).state.rocket).toBeNull();
    expect(give(room, 10n, rocketRules([10n], { enabled: false })).state.rocket).toBeNull();
    expect(give(room, 10n, rocketRules([10n]), { by: bob }).state.rocket).toBeNull();
    const counted = rocketRules([10n], { countsRobots: true });
    expect(give(room, 10n, counted, { by: bob }).state.rocket?.fuel).toBe(10n);
  });

  it('is the first of a UTC day by rule: the round begins anew on level 1 (ROCKET-1)', () => {
    const rules = rocketRules([10n, 50n], { reset: 'day' });
    const eve = 20_000 * dayMs - 1;
    const before = given(created(), [joined(alice)], ignitedBy(alice, 3_000_000))
      .after({ type: 'LaunchRocket', roundNo: 1n }, { role: 'system', atMs: eve - 1_000 })
      .after(sendGift([alice]), { charge: charged(5n), rocketRules: rules, atMs: eve });
    expect(before.state.rocket).toMatchObject({ roundNo: 2n, level: 2, fuel: 5n });
    const next = give(before, 3n, rules, { atMs: eve + 1 }).state.rocket;
    expect(next).toMatchObject({ roundNo: 3n, level: 1, fuel: 3n, startedAtMs: eve + 1 });
    expect(next?.contributors).toMatchObject([{ coins: 3n }]);
  });

  it('counts fuel up to 63 bits and no further', () => {
    const huge = rocketRules([2n ** 63n - 1n], { fuelPerCoin: 1_000_000n });
    const { rocket } = give(room, 2n ** 62n, huge).state;
    expect(rocket).toMatchObject({ fuel: 2n ** 63n - 1n, ignition: { carriedFuel: 0n } });
  });
});

describe('A room that closes', () => {
  it('ends its round, launched or not: a late wake-up finds nothing (ROCKET-8)', () => {
    const ready = given(created(), [joined(alice)], ignitedBy(alice, 2_000_000));
    const closed = ready.after(closeRoom(), { by: owner });
    expect(closed.state.rocket).toBeNull();
    const late = { role: 'system', atMs: 3_000_000 } as const;
    closed.when({ type: 'LaunchRocket', roundNo: 1n }, late).thenNoEffect();
  });
});
