/**
 * Stores the rocket rules of `rocket_at_start`, for development and first deployments (ROCKET-1). An
 * app that ever had rules is left alone: operators change them (`roomcell rocket set`), not restarts.
 */
import type { AppCode } from '../domain/ids.ts';
import type { RocketRulesBody } from '../protocol/rocket-rules-text.ts';
import type { WiringContext } from './wiring-context.ts';

/** Throws Retry while MySQL is away. Two cells at once may make two equal versions, which is harmless. */
export async function fillRocketRules(context: WiringContext): Promise<void> {
  const { config, drivers, clock, log } = context;
  const { rocketRules } = drivers.stores;
  for (const text of config.rocketAtStart) {
    const { appCode, rules } = readRocketAtStart(text);
    if ((await rocketRules.current(appCode)) !== null) continue;
    await rocketRules.put(appCode, rules, clock.wallMs());
    log.info({ appCode, levels: rules.levels.length }, 'rocket rules were stored');
  }
}

/** Ranks that get the reward which a level names. */
const rewardedRanks = 3;

/** Reads what `rocket_at_start` says, whose shape the configuration has checked. */
function readRocketAtStart(text: string): { appCode: AppCode; rules: RocketRulesBody } {
  const [name = '', steps = ''] = text.split('=');
  const [appCode = '', reset = '', overflow = ''] = name.split('/');
  const levels = steps.split(',').map((step) => {
    const [fuel = '', countdownMs = '', rewardId = ''] = step.split(':');
    const reward = { fromRank: 1, toRank: rewardedRanks, rewardId, quantity: 1n };
    const rewards = rewardId === '' ? [] : [reward];
    return { fuelTarget: BigInt(fuel), countdownMs: Number(countdownMs), rewards };
  });
  const rules: RocketRulesBody = {
    enabled: true,
    levels,
    fuelPerCoin: 1n,
    reset: reset === 'day' ? 'day' : 'round',
    minimumContribution: 1n,
    overflow: overflow === 'cap' ? 'cap' : 'carry',
    countsRobots: false,
  };
  return { appCode: appCode as AppCode, rules };
}
