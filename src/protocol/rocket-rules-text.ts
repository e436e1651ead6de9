/**
 * A version of an app's rocket rules as text: how MySQL keeps it and how operators write it. Numbers
 * of 64 bits are strings of digits, as JSON's own numbers would lose some.
 */
import type { RocketLevel, RocketReward, RocketRules } from '../domain/rocket/rocket-rules.ts';
import { rocketRulesFaults } from '../domain/rocket/rocket-rules.ts';
import { FieldReader } from './field-reader.ts';

/** Rules without the number of their version, which their place gives them. */
export type RocketRulesBody = Omit<RocketRules, 'rulesVersion'>;

/** The rules, or all that is wrong with the text. */
export type ReadRules =
  | { readonly rules: RocketRulesBody; readonly faults: null }
  | { readonly rules: null; readonly faults: readonly string[] };

/** One text for one set of rules: equal rules are equal texts. */
export function rocketRulesText(rules: RocketRulesBody): string {
  return JSON.stringify({
    enabled: rules.enabled,
    levels: rules.levels.map(({ fuelTarget, countdownMs, rewards }) => ({
      fuel_target: String(fuelTarget),
      countdown_ms: countdownMs,
      rewards: rewards.map(({ fromRank, toRank, rewardId, quantity }) => ({
        from_rank: fromRank,
        to_rank: toRank,
        reward_id: rewardId,
        quantity: String(quantity),
      })),
    })),
    fuel_per_coin: String(rules.fuelPerCoin),
    reset: rules.reset,
    minimum_contribution: String(rules.minimumContribution),
    overflow: rules.overflow,
    counts_robots: rules.countsRobots,
  });
}

/** Reads what `rocketRulesText` wrote, or what somebody typed. What is missing takes its default. */
export function readRocketRules(text: string): ReadRules {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { rules: null, faults: ['not JSON'] };
  }
  const reader = new FieldReader();
  const root = reader.object(json, 'rules');
  const rules: RocketRulesBody = {
    enabled: reader.flag(root, 'enabled', true),
    levels: reader.list(root, 'levels').map((level, index) => levelOf(reader, level, index + 1)),
    fuelPerCoin: reader.long(root, 'fuel_per_coin', 1n),
    reset: reader.word(root, 'reset', ['round', 'day']),
    minimumContribution: reader.long(root, 'minimum_contribution', 1n),
    overflow: reader.word(root, 'overflow', ['carry', 'cap']),
    countsRobots: reader.flag(root, 'counts_robots', false),
  };
  const faults = reader.faults.length > 0 ? reader.faults : rocketRulesFaults(rules);
  return faults.length > 0 ? { rules: null, faults } : { rules, faults: null };
}

function levelOf(reader: FieldReader, json: unknown, level: number): RocketLevel {
  const fields = reader.object(json, `level ${level}`);
  return {
    fuelTarget: reader.long(fields, 'fuel_target', 0n),
    countdownMs: reader.count(fields, 'countdown_ms', 30_000),
    rewards: reader.list(fields, 'rewards').map((reward) => rewardOf(reader, reward)),
  };
}

function rewardOf(reader: FieldReader, json: unknown): RocketReward {
  const fields = reader.object(json, 'reward');
  const fromRank = reader.count(fields, 'from_rank', 1);
  return {
    fromRank,
    toRank: reader.count(fields, 'to_rank', fromRank),
    rewardId: reader.text(fields, 'reward_id'),
    quantity: reader.long(fields, 'quantity', 1n),
  };
}
