/** Memory twin of the robot accounts, rules and quotas. */
import type { AppCode, UserId } from '../../domain/ids.ts';
import {
  robotFaults,
  robotQuotaMax,
  robotRulesFaults,
  type Robot,
  type RobotRules,
  type RobotRulesInForce,
} from '../../domain/robots/robot-rules.ts';
import { assert } from '../../kernel/assert.ts';
import {
  robotsPerAppMax,
  robotsPerCallMax,
  type RobotPool,
  type RobotWhereabouts,
} from '../../ports/robot-pool.ts';
import { put, remove, type MemoryDatabase } from './memory-database.ts';
import { userBanKey } from './memory-rows.ts';

/** See the file header. */
export class MemoryRobotPool implements RobotPool {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  apps(): Promise<readonly AppCode[]> {
    return this.read('listing apps with robots', () =>
      [...this.database.robotRules.keys()].sort((left, right) => (left < right ? -1 : 1)),
    );
  }

  rules(appCode: AppCode): Promise<RobotRulesInForce | null> {
    return this.read('reading robot rules', () => {
      const rules = this.database.robotRules.get(appCode);
      if (rules === undefined) return null;
      const quotas = [...this.database.robotQuotas.values()].filter(
        (row) => row.appCode === appCode,
      );
      const byCountry = quotas.map(
        ({ countryCode, robotsMax }) => [countryCode, robotsMax] as const,
      );
      return { ...rules, quotas: new Map(byCountry) };
    });
  }

  robots(appCode: AppCode, nowMs: number): Promise<readonly Robot[]> {
    const { robotAccounts, userBans } = this.database;
    const isBanned = (userId: UserId): boolean => {
      const ban = userBans.get(userBanKey(appCode, userId));
      return ban !== undefined && (ban.expiresAtMs === 0 || ban.expiresAtMs > nowMs);
    };
    return this.read('listing robots', () =>
      [...robotAccounts.values()]
        .filter((row) => row.appCode === appCode && !isBanned(row.robot.userId))
        .map(({ robot }) => robot)
        .sort((left, right) => (left.userId < right.userId ? -1 : 1))
        .slice(0, robotsPerAppMax),
    );
  }

  async whereabouts(
    appCode: AppCode,
    userIds: readonly UserId[],
  ): Promise<readonly RobotWhereabouts[]> {
    assert(userIds.length <= robotsPerCallMax, 'too many robots are looked for at once');
    return this.read('looking for robots', () =>
      userIds.flatMap((userId) =>
        this.database.userRooms
          .rowsBy('user', `${appCode}\0${userId}`)
          .map(({ roomId }) => ({ userId, roomId })),
      ),
    );
  }

  async putRules(appCode: AppCode, rules: RobotRules, nowMs: number): Promise<number> {
    const [fault] = robotRulesFaults(rules);
    assert(fault === undefined, 'robot rules are checked before they are stored', { fault });
    return this.write('storing robot rules', () => {
      const { robotRules } = this.database;
      const former = robotRules.get(appCode)?.configUpdatedAtMs ?? -1;
      const configUpdatedAtMs = Math.max(former + 1, nowMs);
      this.database.commit([put(robotRules, appCode, { ...rules, configUpdatedAtMs })]);
      return configUpdatedAtMs;
    });
  }

  async putQuota(appCode: AppCode, countryCode: string, robotsMax: number): Promise<void> {
    const isWell = Number.isInteger(robotsMax) && robotsMax >= 0 && robotsMax <= robotQuotaMax;
    assert(isWell, 'a quota is checked before it is stored', { robotsMax });
    const row = { appCode, countryCode, robotsMax };
    return this.write('storing a robot quota', () => {
      this.database.commit([put(this.database.robotQuotas, `${appCode}\0${countryCode}`, row)]);
    });
  }

  async addRobots(appCode: AppCode, robots: readonly Robot[]): Promise<void> {
    assert(robots.length <= robotsPerCallMax, 'too many robots are added at once');
    const [fault] = robots.flatMap(robotFaults);
    assert(fault === undefined, 'robots are checked before they are stored', { fault });
    return this.write('adding robots', () => {
      const { robotAccounts } = this.database;
      this.database.commit(
        robots.map((robot) =>
          put(robotAccounts, `${appCode}\0${robot.userId}`, { appCode, robot }),
        ),
      );
    });
  }

  removeRobot(appCode: AppCode, userId: UserId): Promise<boolean> {
    return this.write('removing a robot', () => {
      const { robotAccounts } = this.database;
      const key = `${appCode}\0${userId}`;
      if (!robotAccounts.has(key)) return false;
      this.database.commit([remove(robotAccounts, key)]);
      return true;
    });
  }

  private read<T>(what: string, work: () => T): Promise<T> {
    return this.database.server.call('robots', what, 'read', work);
  }

  private write<T>(what: string, work: () => T): Promise<T> {
    return this.database.server.call('robots', what, 'write', work);
  }
}
