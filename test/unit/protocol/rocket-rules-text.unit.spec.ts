/** Rules of a rocket as text: what is stored is read back, what is wrong is told at once (ROCKET-1). */
import { describe, expect, it } from 'vitest';
import { readRocketRules, rocketRulesText } from '../../../src/protocol/rocket-rules-text.ts';
import { rocketRules } from '../../support/rocket-builders.ts';

describe('the text of rules', () => {
  it('reads back to the same rules, to the last digit (ROCKET-1)', () => {
    const { rulesVersion: _, ...rules } = rocketRules([2n ** 63n - 1n, 7n], {
      fuelPerCoin: 3n,
      reset: 'day',
      overflow: 'cap',
      countsRobots: true,
      enabled: false,
      rewards: [{ fromRank: 2, toRank: 5, rewardId: 'frame.gold', quantity: 2n ** 62n }],
    });
    expect(readRocketRules(rocketRulesText(rules))).toEqual({ rules, faults: null });
  });

  it('takes what is left out from its defaults, and numbers as JSON writes them', () => {
    const text = '{"levels":[{"fuel_target":100,"rewards":[{"reward_id":"a","from_rank":2}]}]}';
    expect(readRocketRules(text).rules).toEqual({
      enabled: true,
      levels: [
        {
          fuelTarget: 100n,
          countdownMs: 30_000,
          rewards: [{ fromRank: 2, toRank: 2, rewardId: 'a', quantity: 1n }],
        },
      ],
      fuelPerCoin: 1n,
      reset: 'round',
      minimumContribution: 1n,
      overflow: 'carry',
      countsRobots: false,
    });
  });

  it.each([
    ['no JSON', '{', ['not JSON']],
    ['no object', '[]', ['rules: not an object']],
    [
      'every field of the wrong kind',
      '{"enabled":1,"levels":{},"fuel_per_coin":1.5,"reset":"week","overflow":2}',
      [
        'enabled: not true or false',
        'levels: not a list',
        'fuel_per_coin: not a whole number',
        'reset: not one of round, day',
        'overflow: not one of carry, cap',
      ],
    ],
    [
      'numbers out of their bounds',
      '{"levels":[{"fuel_target":0,"countdown_ms":10,"rewards":[{"reward_id":"a b","to_rank":99}]}],"fuel_per_coin":0}',
      [
        'fuel_per_coin: not 1 to 1000000',
        'level 1: fuel_target: not above 0',
        'level 1: countdown_ms: not 1000 to 3600000',
        'level 1: reward a b: ranks not within 1 to 20',
      ],
    ],
    ['no level', '{}', ['levels: not 1 to 20']],
  ])('with %s is refused with all its faults', (_what, text, faults) => {
    expect(readRocketRules(text)).toEqual({ rules: null, faults });
  });
});
