/** The state of a rocket as 0.4.0 keeps it in snapshots. */
import type { RoomVersion } from '../../../src/domain/ids.ts';
import type { RocketState } from '../../../src/domain/rocket/rocket-state.ts';
import { ann, timeMs } from '../0.3.0/names.ts';

export const rocket: RocketState = {
  roundNo: 7n,
  level: 2,
  fuel: 1000n,
  fuelTarget: 1000n,
  rulesVersion: 3n,
  startedAtMs: timeMs,
  ignition: {
    igniterUserId: ann,
    ignitedAtMs: timeMs,
    launchAtMs: timeMs,
    carriedFuel: 12n,
    minimumContribution: 10n,
    rewards: [{ fromRank: 1, toRank: 3, rewardId: 'frame.gold', quantity: 2n }],
    nextLevel: 3,
    nextFuelTarget: 5000n,
  },
  contributors: [{ userId: ann, coins: 900n, reachedAtVersion: 40n as RoomVersion }],
};
