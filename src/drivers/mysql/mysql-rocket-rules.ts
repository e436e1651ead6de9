/** The rocket rules of each app in MySQL. Versions are only ever added, so a reader needs no lock. */
import type { AppCode, CommandId } from '../../domain/ids.ts';
import { rocketRulesFaults, type RocketRules } from '../../domain/rocket/rocket-rules.ts';
import { assert } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import type { RocketRulesStore } from '../../ports/rocket-rules-store.ts';
import { readRocketRules, rocketRulesText } from '../../protocol/rocket-rules-text.ts';
import { toFailure } from './mysql-errors.ts';
import { insertNextVersion } from './next-version.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession, Row } from './session.ts';

/** See the port. */
export class MysqlRocketRules implements RocketRulesStore {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async current(appCode: AppCode): Promise<RocketRules | null> {
    const rows = await this.pool.rows(
      'reading rocket rules',
      'SELECT rules_version, rules FROM rocket_rules WHERE app_code = ? ' +
        'ORDER BY rules_version DESC LIMIT 1',
      [appCode],
    );
    return rows[0] === undefined ? null : rulesOf(rows[0]);
  }

  async version(appCode: AppCode, rulesVersion: bigint): Promise<RocketRules | null> {
    const rows = await this.pool.rows(
      'reading a version of rocket rules',
      'SELECT rules_version, rules FROM rocket_rules WHERE app_code = ? AND rules_version = ?',
      [appCode, rulesVersion],
    );
    return rows[0] === undefined ? null : rulesOf(rows[0]);
  }

  async setBy(appCode: AppCode, commandId: CommandId): Promise<RocketRules | null> {
    const rows = await this.pool.rows(
      'reading which rocket rules an act made',
      'SELECT rules_version, rules FROM rocket_rules WHERE app_code = ? AND set_by_command = ? ' +
        'ORDER BY rules_version DESC LIMIT 1',
      [appCode, commandId],
    );
    return rows[0] === undefined ? null : rulesOf(rows[0]);
  }

  /** An answer that is lost may leave a version behind; asking again makes one more of the same. */
  async put(
    appCode: AppCode,
    rules: Omit<RocketRules, 'rulesVersion'>,
    nowMs: number,
  ): Promise<RocketRules> {
    const [fault] = rocketRulesFaults(rules);
    assert(fault === undefined, 'rocket rules are checked before they are stored', { fault });
    try {
      return await this.pool.withSession((session) =>
        insertNextRules(session, appCode, rules, nowMs, ''),
      );
    } catch (thrown) {
      throw toFailure(thrown, 'storing rocket rules');
    }
  }
}

/**
 * Makes the next version of an app's rules, in the session's transaction where one is open, and notes
 * which act of an operator made it ('': none). Throws as `insertNextVersion`.
 */
export async function insertNextRules(
  session: MysqlSession,
  appCode: AppCode,
  rules: Omit<RocketRules, 'rulesVersion'>,
  nowMs: number,
  setBy: CommandId | '',
): Promise<RocketRules> {
  const rulesVersion = await insertNextVersion(
    `the rocket rules of ${appCode}`,
    () => newestVersion(session, appCode),
    (version) =>
      session.run(
        'INSERT INTO rocket_rules (app_code, rules_version, rules, created_at_ms, set_by_command) ' +
          'VALUES (?, ?, ?, ?, ?)',
        [appCode, version, rocketRulesText(rules), nowMs, setBy],
      ),
  );
  return { ...rules, rulesVersion };
}

/** 0 for an app that never had rules. */
async function newestVersion(session: MysqlSession, appCode: AppCode): Promise<bigint> {
  const rows = await session.rows(
    'SELECT COALESCE(MAX(rules_version), 0) AS newest FROM rocket_rules WHERE app_code = ?',
    [appCode],
  );
  return BigInt(String(rows[0]?.['newest'] ?? 0));
}

function rulesOf(row: Row): RocketRules {
  const rulesVersion = BigInt(String(row['rules_version']));
  const { rules, faults } = readRocketRules(String(row['rules']));
  if (rules !== null) return { ...rules, rulesVersion };
  const message = `rocket rules version ${rulesVersion} cannot be read: ${faults.join('; ')}`;
  throw new Failure('corrupt', 'ROCKET_RULES_CORRUPT', message);
}
