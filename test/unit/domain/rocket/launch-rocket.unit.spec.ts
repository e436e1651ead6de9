/** When a rocket launches, who wins, and what comes next (ROCKET-2, ROCKET-6, ROCKET-7). */
import { describe, expect, it } from 'vitest';
import { nextDeadline } from '../../../../src/domain/room/deadlines.ts';
import { roomView } from '../../../../src/domain/room/room-view.ts';
import { charged, sendGift } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import { rocketRules } from '../../../support/rocket-builders.ts';
import {
  alice,
  asUser,
  bob,
  closing,
  created,
  ignitedBy,
  joined,
  left,
} from '../../../support/room-builders.ts';

const launchAtMs = 2_000_000;
const room = given(created(), [joined(alice), joined(bob)], ignitedBy(alice, launchAtMs));
const launch = { type: 'LaunchRocket', roundNo: 1n } as const;
const due = { role: 'system', atMs: launchAtMs } as const;

describe('A launch', () => {
  it('is due when the countdown is over and not a millisecond before (ROCKET-6)', () => {
    expect(nextDeadline(room.state)).toEqual({ atMs: launchAtMs, command: launch });
    room.when(launch, { ...due, atMs: launchAtMs - 1 }).thenNoEffect();
    const { decision } = room.when(launch, due);
    expect(decision).toMatchObject({ events: [{ type: 'RoomRocketLaunched', roundNo: 1n }] });
  });

  it('happens once: the same question again, and one of another round, finds nothing (ROCKET-6)', () => {
    const flown = room.after(launch, due);
    flown.when(launch, due).thenNoEffect();
    room.when({ ...launch, roundNo: 2n }, due).thenNoEffect();
    expect(nextDeadline(flown.state)).toBeNull();
  });

  it('comes at once in a room that is found behind its time (ROCKET-7)', () => {
    const { decision } = room.when(launch, { ...due, atMs: launchAtMs + 86_400_000 });
    expect(decision).toMatchObject({ kind: 'applied', events: [{ launchAtMs }] });
  });

  it('comes in a closing room too', () => {
    const ending = given(created(), [joined(alice)], ignitedBy(alice, launchAtMs), closing(9e6));
    expect(ending.when(launch, due).decision).toMatchObject({ kind: 'applied' });
  });

  it('comes from nobody but the room itself', () => {
    room.when(launch, { ...due, role: 'operator' }).thenRejected('NOT_ROOM_MANAGER', {
      actor_user_id: alice,
    });
  });

  it('opens the next round in the same event, with what was carried over (ROCKET-2)', () => {
    const rules = rocketRules([10n, 50n]);
    const flown = room
      .after(sendGift([bob]), { by: bob, charge: charged(7n), rocketRules: rules })
      .when(launch, due);
    expect(flown.state.rocket).toEqual({
      roundNo: 2n,
      level: 2,
      fuel: 7n,
      fuelTarget: 50n,
      rulesVersion: 3n,
      startedAtMs: launchAtMs,
      ignition: null,
      contributors: [],
    });
  });

  it('names who gave most and enough, with the prizes of their places, present or not', () => {
    const [carol, dave] = [asUser('carol'), asUser('dave')];
    const rules = rocketRules([60n], {
      minimumContribution: 10n,
      rewards: [
        { fromRank: 1, toRank: 1, rewardId: 'crown', quantity: 1n },
        { fromRank: 1, toRank: 2, rewardId: 'badge', quantity: 3n },
      ],
    });
    const start = given(created(), [joined(alice), joined(bob), joined(carol), joined(dave)]);
    const by = (who: typeof alice, coins: bigint) =>
      [sendGift([alice]), { by: who, charge: charged(coins), rocketRules: rules }] as const;
    const full = start
      .after(...by(carol, 20n))
      .after(...by(bob, 20n))
      .after(...by(dave, 9n))
      .after(...by(alice, 11n))
      .after({ type: 'LeaveRoom' }, { by: carol });
    const { decision } = full.when(launch, { ...due, atMs: 9_000_000 });
    const crown = { rewardId: 'crown', quantity: 1n };
    const badge = { rewardId: 'badge', quantity: 3n };
    expect(decision).toMatchObject({
      events: [
        {
          igniterUserId: alice,
          winners: [
            { userId: carol, coins: 20n, rank: 1, prizes: [crown, badge] },
            { userId: bob, coins: 20n, rank: 2, prizes: [badge] },
            { userId: alice, coins: 11n, rank: 3, prizes: [] },
          ],
        },
      ],
    });
  });
});

describe('The view of a room', () => {
  it('shows the round, its countdown and who gave most, and nothing of a room without', () => {
    expect(roomView(room.state, null, 1).rocket).toMatchObject({
      status: 'ignited',
      launchAtMs,
      igniterUserId: alice,
      contributors: [{ userId: alice, coins: 10n, rank: 1 }],
    });
    const flown = room.after(launch, due);
    const shown = roomView(flown.state, null, 5).rocket;
    expect(shown).toMatchObject({ status: 'charging', launchAtMs: 0, igniterUserId: '' });
    const fresh = given(created(), [joined(alice)], left(alice));
    expect(roomView(fresh.state, null, 5).rocket).toBeNull();
  });
});
