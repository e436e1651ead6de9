/**
 * How the rocket of each app's rooms works (ROCKET-1). Every change is a new version and old ones
 * stay, so that what an event names can be looked up for as long as the event is kept.
 */
import type { AppCode, CommandId } from '../domain/ids.ts';
import type { RocketRules } from '../domain/rocket/rocket-rules.ts';

/** All methods throw a Retry failure when the store cannot be reached. */
export interface RocketRulesStore {
  /** The newest version, enabled or not; null: the app never had one. */
  current(appCode: AppCode): Promise<RocketRules | null>;
  /** One version; null: there is none. */
  version(appCode: AppCode, rulesVersion: bigint): Promise<RocketRules | null>;
  /** The version that an operator's act of this id made; null: none. */
  setBy(appCode: AppCode, commandId: CommandId): Promise<RocketRules | null>;
  /**
   * Makes the next version and answers it, for rules that come with a start; operators set rules by an
   * act (`OperatorStore`), which the audit keeps. Two writers at once make two versions. Rules that
   * `rocketRulesFaults` finds fault with are a fault of the caller.
   */
  put(
    appCode: AppCode,
    rules: Omit<RocketRules, 'rulesVersion'>,
    nowMs: number,
  ): Promise<RocketRules>;
}
