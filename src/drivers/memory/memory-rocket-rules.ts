/** Memory twin of the rocket rules. Versions are only ever added. */
import type { AppCode, CommandId } from '../../domain/ids.ts';
import { rocketRulesFaults, type RocketRules } from '../../domain/rocket/rocket-rules.ts';
import { assert } from '../../kernel/assert.ts';
import type { RocketRulesStore } from '../../ports/rocket-rules-store.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import { actKey } from './memory-rows.ts';
import type { RowChange } from './memory-session.ts';

/** See the file header. */
export class MemoryRocketRules implements RocketRulesStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  current(appCode: AppCode): Promise<RocketRules | null> {
    return this.database.server.call('rocketRules', 'reading rocket rules', 'read', () => {
      return this.versionsOf(appCode).at(-1) ?? null;
    });
  }

  version(appCode: AppCode, rulesVersion: bigint): Promise<RocketRules | null> {
    return this.database.server.call('rocketRules', 'reading a version of rules', 'read', () => {
      return this.versionsOf(appCode).find((row) => row.rulesVersion === rulesVersion) ?? null;
    });
  }

  async put(appCode: AppCode, rules: Omit<RocketRules, 'rulesVersion'>): Promise<RocketRules> {
    const [fault] = rocketRulesFaults(rules);
    assert(fault === undefined, 'rocket rules are checked before they are stored', { fault });
    return this.database.server.call('rocketRules', 'storing rocket rules', 'write', () => {
      const { stored, changes } = nextRules(this.database, appCode, rules);
      this.database.commit(changes);
      return stored;
    });
  }

  setBy(appCode: AppCode, commandId: CommandId): Promise<RocketRules | null> {
    const { server, setByActs } = this.database;
    return server.call('rocketRules', 'reading which rules an act made', 'read', () => {
      const version = setByActs.get(actKey(appCode, commandId));
      return this.versionsOf(appCode).find((row) => row.rulesVersion === version) ?? null;
    });
  }

  private versionsOf(appCode: AppCode): readonly RocketRules[] {
    return this.database.rocketRules.get(appCode) ?? [];
  }
}

/** The next version of an app's rules and what stores it. */
export function nextRules(
  database: MemoryDatabase,
  appCode: AppCode,
  rules: Omit<RocketRules, 'rulesVersion'>,
): { readonly stored: RocketRules; readonly changes: readonly RowChange[] } {
  const versions = database.rocketRules.get(appCode) ?? [];
  const stored = { ...rules, rulesVersion: BigInt(versions.length) + 1n };
  return { stored, changes: [put(database.rocketRules, appCode, [...versions, stored])] };
}
