/** Robot accounts, rules and quotas in MySQL. Every write is one statement, so none needs a lock. */
import type { AppCode, RoomId, UserId } from '../../domain/ids.ts';
import {
  robotFaults,
  robotQuotaMax,
  robotRulesFaults,
  type Robot,
  type RobotRules,
  type RobotRulesInForce,
} from '../../domain/robots/robot-rules.ts';
import { assert } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import {
  robotsPerAppMax,
  robotsPerCallMax,
  type RobotPool,
  type RobotWhereabouts,
} from '../../ports/robot-pool.ts';
import { readRobotRules, robotRulesText } from '../../protocol/robot-rules-text.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';

/** See the port. */
export class MysqlRobotPool implements RobotPool {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async apps(): Promise<readonly AppCode[]> {
    const rows = await this.pool.rows(
      'listing apps with robots',
      'SELECT app_code FROM robot_rules ORDER BY app_code',
    );
    return rows.map((row) => String(row['app_code']) as AppCode);
  }

  /** Rules and quotas are read one after the other: a quota that changes between is the newer one. */
  async rules(appCode: AppCode): Promise<RobotRulesInForce | null> {
    const rows = await this.pool.rows(
      'reading robot rules',
      'SELECT rules, config_updated_at_ms FROM robot_rules WHERE app_code = ?',
      [appCode],
    );
    if (rows[0] === undefined) return null;
    const quotas = await this.pool.rows(
      'reading robot quotas',
      'SELECT country_code, robots_max FROM robot_quotas WHERE app_code = ?',
      [appCode],
    );
    return rulesOf(appCode, rows[0], quotas);
  }

  async robots(appCode: AppCode, nowMs: number): Promise<readonly Robot[]> {
    const rows = await this.pool.rows(
      'listing robots',
      'SELECT r.user_id, r.nickname, r.avatar_url, r.country_code FROM robot_accounts r ' +
        'LEFT JOIN user_bans b ON b.app_code = r.app_code AND b.user_id = r.user_id ' +
        'AND (b.expires_at_ms = 0 OR b.expires_at_ms > ?) ' +
        'WHERE r.app_code = ? AND b.user_id IS NULL ORDER BY r.user_id LIMIT ?',
      [nowMs, appCode, robotsPerAppMax],
    );
    return rows.map((row) => ({
      userId: String(row['user_id']) as UserId,
      nickname: String(row['nickname']),
      avatarUrl: String(row['avatar_url']),
      countryCode: String(row['country_code']),
    }));
  }

  async whereabouts(
    appCode: AppCode,
    userIds: readonly UserId[],
  ): Promise<readonly RobotWhereabouts[]> {
    assert(userIds.length <= robotsPerCallMax, 'too many robots are looked for at once');
    if (userIds.length === 0) return [];
    const rows = await this.pool.rows(
      'looking for robots',
      'SELECT user_id, room_id FROM user_rooms WHERE app_code = ? AND user_id IN (?)',
      [appCode, userIds],
    );
    return rows.map((row) => ({
      userId: String(row['user_id']) as UserId,
      roomId: String(row['room_id']) as RoomId,
    }));
  }

  async putRules(appCode: AppCode, rules: RobotRules, nowMs: number): Promise<number> {
    const [fault] = robotRulesFaults(rules);
    assert(fault === undefined, 'robot rules are checked before they are stored', { fault });
    // One statement: two writers at once make two different times.
    await this.pool.run(
      'storing robot rules',
      'INSERT INTO robot_rules (app_code, rules, config_updated_at_ms) VALUES (?, ?, ?) ' +
        'ON DUPLICATE KEY UPDATE rules = VALUES(rules), ' +
        'config_updated_at_ms = GREATEST(config_updated_at_ms + 1, VALUES(config_updated_at_ms))',
      [appCode, robotRulesText(rules), nowMs],
    );
    const rows = await this.pool.rows(
      'reading robot rules back',
      'SELECT config_updated_at_ms FROM robot_rules WHERE app_code = ?',
      [appCode],
    );
    return Number(rows[0]?.['config_updated_at_ms'] ?? nowMs);
  }

  async putQuota(appCode: AppCode, countryCode: string, robotsMax: number): Promise<void> {
    const isWell = Number.isInteger(robotsMax) && robotsMax >= 0 && robotsMax <= robotQuotaMax;
    assert(isWell, 'a quota is checked before it is stored', { robotsMax });
    await this.pool.run(
      'storing a robot quota',
      'INSERT INTO robot_quotas (app_code, country_code, robots_max) VALUES (?, ?, ?) ' +
        'ON DUPLICATE KEY UPDATE robots_max = VALUES(robots_max)',
      [appCode, countryCode, robotsMax],
    );
  }

  async addRobots(appCode: AppCode, robots: readonly Robot[]): Promise<void> {
    assert(robots.length <= robotsPerCallMax, 'too many robots are added at once');
    const [fault] = robots.flatMap(robotFaults);
    assert(fault === undefined, 'robots are checked before they are stored', { fault });
    if (robots.length === 0) return;
    const places = robots.map(() => '(?, ?, ?, ?, ?)').join(', ');
    await this.pool.run(
      'adding robots',
      'INSERT INTO robot_accounts (app_code, user_id, nickname, avatar_url, country_code) ' +
        `VALUES ${places} ON DUPLICATE KEY UPDATE nickname = VALUES(nickname), ` +
        'avatar_url = VALUES(avatar_url), country_code = VALUES(country_code)',
      robots.flatMap(({ userId, nickname, avatarUrl, countryCode }) => [
        appCode,
        userId,
        nickname,
        avatarUrl,
        countryCode,
      ]),
    );
  }

  async removeRobot(appCode: AppCode, userId: UserId): Promise<boolean> {
    const { affected } = await this.pool.run(
      'removing a robot',
      'DELETE FROM robot_accounts WHERE app_code = ? AND user_id = ?',
      [appCode, userId],
    );
    return affected > 0;
  }
}

function rulesOf(appCode: AppCode, row: Row, quotas: readonly Row[]): RobotRulesInForce {
  const { rules, faults } = readRobotRules(String(row['rules']));
  if (rules === null) {
    const message = `the robot rules of ${appCode} cannot be read: ${faults.join('; ')}`;
    throw new Failure('corrupt', 'ROBOT_RULES_CORRUPT', message);
  }
  return {
    ...rules,
    configUpdatedAtMs: Number(row['config_updated_at_ms']),
    quotas: new Map(
      quotas.map((quota) => [String(quota['country_code']), Number(quota['robots_max'])]),
    ),
  };
}
