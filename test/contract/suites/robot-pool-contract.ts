/** What every pool of robots promises. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, GiftId, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { Robot, RobotRules } from '../../../src/domain/robots/robot-rules.ts';
import type { RobotPool } from '../../../src/ports/robot-pool.ts';

/** An empty pool, and what else its answers depend on. */
export interface RobotPoolRig {
  readonly pool: RobotPool;
  /** The user is in the room, by what is committed. */
  present(appCode: AppCode, userId: UserId, roomId: RoomId): Promise<void>;
  /** The platform has banned the user; 0: until it is lifted. */
  banned(appCode: AppCode, userId: UserId, expiresAtMs: number): Promise<void>;
  close(): Promise<void>;
}

const app = 'app1' as AppCode;
const other = 'app2' as AppCode;
const rules: RobotRules = {
  enabled: true,
  robotsPerRoomMax: 3,
  placesForPeople: 10,
  pauseMinMs: 1_000,
  pauseMaxMs: 2_000,
  stayMinMs: 60_000,
  stayMaxMs: 90_000,
  rooms: [
    {
      roomId: 'lounge' as RoomId,
      title: '休息室 🎤',
      seatCount: 8,
      visibleRegionId: 9_007_199_254_740_993n,
      robots: 4,
      giftIds: ['rose', 'clover'] as GiftId[],
    },
  ],
};

function robot(userId: string, countryCode = 'DE'): Robot {
  return {
    userId: userId as UserId,
    nickname: `${userId} 安`,
    avatarUrl: 'https://a',
    countryCode,
  };
}

/** Runs the suite against the pools that `open` makes. */
export function robotPoolContract(name: string, open: () => Promise<RobotPoolRig>): void {
  describe(`a pool of robots in ${name}`, () => {
    let rig: RobotPoolRig;
    beforeEach(async () => {
      rig = await open();
    });
    afterEach(() => rig.close());

    it('an app has no rules and no robots before it is given some', async () => {
      expect(await rig.pool.apps()).toEqual([]);
      expect(await rig.pool.rules(app)).toBeNull();
      expect(await rig.pool.robots(app, 1)).toEqual([]);
    });

    it('keeps rules to the last digit, and each change of them is later than the one before (ROBOT-4)', async () => {
      const first = await rig.pool.putRules(app, rules, 1_000);
      expect(first).toBe(1_000);
      expect(await rig.pool.rules(app)).toEqual({
        ...rules,
        configUpdatedAtMs: 1_000,
        quotas: new Map(),
      });
      // By a clock that is behind.
      expect(await rig.pool.putRules(app, { ...rules, enabled: false }, 900)).toBe(1_001);
      expect(await rig.pool.rules(app)).toMatchObject({ enabled: false, configUpdatedAtMs: 1_001 });
      expect(await rig.pool.apps()).toEqual([app]);
      expect(await rig.pool.rules(other)).toBeNull();
    });

    it('a quota is that of one country, and no change of the rules (ROBOT-4)', async () => {
      await rig.pool.putRules(app, rules, 1_000);
      await rig.pool.putQuota(app, 'DE', 5);
      await rig.pool.putQuota(app, 'FR', 7);
      await rig.pool.putQuota(app, 'DE', 2);
      await rig.pool.putQuota(other, 'DE', 9);
      const stored = await rig.pool.rules(app);
      expect(stored?.configUpdatedAtMs).toBe(1_000);
      expect([...(stored?.quotas ?? [])].sort()).toEqual([
        ['DE', 2],
        ['FR', 7],
      ]);
    });

    it('lists the accounts of an app by user id, changed ones as they are now (EXT-10, CFG-11)', async () => {
      await rig.pool.addRobots(app, [robot('b'), robot('a'), robot('C')]);
      await rig.pool.addRobots(app, [robot('b', 'FR')]);
      await rig.pool.addRobots(other, [robot('z')]);
      expect(await rig.pool.robots(app, 1)).toEqual([robot('C'), robot('a'), robot('b', 'FR')]);
      expect(await rig.pool.removeRobot(app, 'a' as UserId)).toBe(true);
      expect(await rig.pool.removeRobot(app, 'a' as UserId)).toBe(false);
      expect((await rig.pool.robots(app, 1)).map(({ userId }) => userId)).toEqual(['C', 'b']);
    });

    it('leaves those out whom the platform has banned, for as long as it has', async () => {
      await rig.pool.addRobots(app, [robot('a'), robot('b'), robot('c')]);
      await rig.banned(app, 'a' as UserId, 0);
      await rig.banned(app, 'b' as UserId, 2_000);
      await rig.banned(other, 'c' as UserId, 0);
      const at = async (nowMs: number): Promise<readonly string[]> =>
        (await rig.pool.robots(app, nowMs)).map(({ userId }) => userId);
      expect(await at(1_999)).toEqual(['c']);
      expect(await at(2_000)).toEqual(['b', 'c']);
    });

    it('says in which rooms robots are, and nothing about who is nowhere (ROBOT-3)', async () => {
      await rig.present(app, 'a' as UserId, 'r1' as RoomId);
      await rig.present(app, 'a' as UserId, 'r2' as RoomId);
      await rig.present(app, 'b' as UserId, 'r1' as RoomId);
      await rig.present(other, 'c' as UserId, 'r1' as RoomId);
      const seen = await rig.pool.whereabouts(app, ['a', 'c', 'd'] as UserId[]);
      expect(seen.map(({ userId, roomId }) => `${userId} ${roomId}`).sort()).toEqual([
        'a r1',
        'a r2',
      ]);
      expect(await rig.pool.whereabouts(app, [])).toEqual([]);
    });
  });
}
