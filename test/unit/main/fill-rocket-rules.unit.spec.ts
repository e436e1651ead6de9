/** Rocket rules stored by configuration (ROCKET-1). */
import { describe, expect, it } from 'vitest';
import type { AppCode } from '../../../src/domain/ids.ts';
import { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import { MemoryRocketRules } from '../../../src/drivers/memory/memory-rocket-rules.ts';
import { rocketAtStart } from '../../../src/main/config/patterns.ts';
import { fillRocketRules } from '../../../src/main/fill-rocket-rules.ts';
import type { WiringContext } from '../../../src/main/wiring-context.ts';
import { rocketRules } from '../../support/rocket-builders.ts';
import { SteppedTime } from '../../support/stepped-time.ts';

const app = 'demo' as AppCode;
const text = 'demo/day/cap=100:5000:badge,2000:30000';

function storeWith(rules: readonly string[]) {
  const clock = new SteppedTime();
  const store = new MemoryRocketRules(new MemoryDatabase({ clock, timers: clock }));
  const context = {
    config: { rocketAtStart: rules },
    drivers: { stores: { rocketRules: store } },
    clock,
    log: { info: () => undefined },
  } as unknown as WiringContext;
  return { store, fill: () => fillRocketRules(context) };
}

describe('rocket_at_start', () => {
  it('stores its rules once, however often cells start (ROCKET-1)', async () => {
    expect(rocketAtStart.expression.test(text)).toBe(true);
    const { store, fill } = storeWith([text]);
    await fill();
    await fill();
    expect(await store.current(app)).toMatchObject({
      rulesVersion: 1n,
      reset: 'day',
      overflow: 'cap',
      levels: [
        { fuelTarget: 100n, countdownMs: 5_000, rewards: [{ rewardId: 'badge', toRank: 3 }] },
        { fuelTarget: 2_000n, countdownMs: 30_000, rewards: [] },
      ],
    });
  });

  it('leaves rules alone that an operator has stored', async () => {
    const { store, fill } = storeWith([text]);
    const { rulesVersion: _, ...mine } = rocketRules([7n]);
    await store.put(app, mine);
    await fill();
    expect(await store.current(app)).toMatchObject({ levels: [{ fuelTarget: 7n }] });
  });

  it.each(['demo=1:1000', 'demo/day/carry=', 'demo/week/carry=5:1000', 'demo/day/carry=5:10'])(
    'refuses %s when the configuration is read',
    (bad) => {
      expect(rocketAtStart.expression.test(bad)).toBe(false);
    },
  );
});
