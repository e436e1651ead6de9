/** What every store of rocket rules promises (ROCKET-1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode } from '../../../src/domain/ids.ts';
import type { RocketRulesStore } from '../../../src/ports/rocket-rules-store.ts';
import { rocketRules } from '../../support/rocket-builders.ts';

/** An empty store. */
export interface RocketRulesRig {
  readonly store: RocketRulesStore;
  close(): Promise<void>;
}

const app = 'app1' as AppCode;
const { rulesVersion: _, ...rules } = rocketRules([100n, 2n ** 63n - 1n], {
  fuelPerCoin: 1_000_000n,
  reset: 'day',
  overflow: 'cap',
  minimumContribution: 2n ** 60n,
  countsRobots: true,
  rewards: [{ fromRank: 1, toRank: 20, rewardId: 'frame.gold', quantity: 2n ** 62n }],
});

/** Runs the suite against the stores that `open` makes. */
export function rocketRulesContract(name: string, open: () => Promise<RocketRulesRig>): void {
  describe(`rocket rules in ${name}`, () => {
    let rig: RocketRulesRig;
    beforeEach(async () => {
      rig = await open();
    });
    afterEach(() => rig.close());

    it('an app without rules has none (ROCKET-1)', async () => {
      expect(await rig.store.current(app)).toBeNull();
      expect(await rig.store.version(app, 1n)).toBeNull();
    });

    it('every change is a new version, and old ones stay as they were, to the last digit', async () => {
      const first = await rig.store.put(app, rules, 1);
      const second = await rig.store.put(app, { ...rules, enabled: false }, 2);
      expect(first).toEqual({ ...rules, rulesVersion: 1n });
      expect(second).toEqual({ ...rules, enabled: false, rulesVersion: 2n });
      expect(await rig.store.current(app)).toEqual(second);
      expect(await rig.store.version(app, 1n)).toEqual(first);
    });

    it('apps have rules of their own', async () => {
      await rig.store.put(app, rules, 1);
      expect(await rig.store.current('app2' as AppCode)).toBeNull();
    });

    it('makes as many versions as there are writers at once', async () => {
      const made = await Promise.all([1, 2, 3, 4].map((at) => rig.store.put(app, rules, at)));
      const versions = made.map(({ rulesVersion }) => rulesVersion);
      expect(new Set(versions)).toEqual(new Set([1n, 2n, 3n, 4n]));
    });
  });
}
