/**
 * The whole site's robot accounts, the rules by which apps use them, and where they are (ROBOT-3, the
 * seeds' `HumanRobotPoolProvider`). Cells read; operators write.
 */
import type { AppCode, RoomId, UserId } from '../domain/ids.ts';
import type { Robot, RobotRules, RobotRulesInForce } from '../domain/robots/robot-rules.ts';

/** Users of one `whereabouts` and robots of one `addRobots`. */
export const robotsPerCallMax = 500;
/** Accounts of one app that cells look at; what lies behind them in order of user ids is not used. */
export const robotsPerAppMax = 20_000;

/** Who is in a room, by what is committed. */
export interface RobotWhereabouts {
  readonly userId: UserId;
  readonly roomId: RoomId;
}

/** All methods throw a Retry failure when the store cannot be reached. */
export interface RobotPool {
  /** Apps that ever had rules. */
  apps(): Promise<readonly AppCode[]>;
  /** The rules of an app; null: it never had any. */
  rules(appCode: AppCode): Promise<RobotRulesInForce | null>;
  /**
   * The app's robots by user id, without those whom the platform has banned at `nowMs`; at most
   * `robotsPerAppMax`.
   */
  robots(appCode: AppCode, nowMs: number): Promise<readonly Robot[]>;
  /** In which rooms these users are; at most `robotsPerCallMax`. Who is nowhere has no row. */
  whereabouts(appCode: AppCode, userIds: readonly UserId[]): Promise<readonly RobotWhereabouts[]>;
  /**
   * Puts rules in the place of the former ones and answers their `configUpdatedAtMs`: `nowMs`, or one
   * more than the former ones' if that is not later. Rules that `robotRulesFaults` finds fault with
   * are a fault of the caller.
   */
  putRules(appCode: AppCode, rules: RobotRules, nowMs: number): Promise<number>;
  /** Sets the quota of one country, 0 … `robotQuotaMax`, and of no other. */
  putQuota(appCode: AppCode, countryCode: string, robotsMax: number): Promise<void>;
  /** Adds accounts, or changes those that are there; at most `robotsPerCallMax`. */
  addRobots(appCode: AppCode, robots: readonly Robot[]): Promise<void>;
  /** Takes one account out of the pool. False: it was not there. */
  removeRobot(appCode: AppCode, userId: UserId): Promise<boolean>;
}
