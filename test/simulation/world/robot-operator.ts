/** The operator of a run's robots: accounts at the start, rules one after another, and none at the end. */
import type { AppCode, GiftId, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { RobotRules } from '../../../src/domain/robots/robot-rules.ts';
import { put } from '../../../src/drivers/memory/memory-database.ts';
import { appCodes } from '../plan/config-of.ts';
import type { PlannedRobots, PlannedRules } from '../plan/plan-robots.ts';
import type { World } from './world.ts';

/** Clients of a run say no country, so that a room of people has none either. */
const countryCode = '';
const pauseMinMs = 200;
const robotRooms = ['lounge', 'arcade'] as const;

/** Puts accounts and rules in force, each at its time. Call it before the cells start. */
export function operateRobots(world: World): void {
  const { robots } = world.options;
  if (robots === undefined) return;
  for (const appCode of appsOf(world)) {
    const { database } = world;
    database.commit(
      Array.from({ length: robots.accounts }, (_, at) => {
        const userId = `bot${at + 1}` as UserId;
        const robot = { userId, nickname: userId, avatarUrl: '', countryCode };
        return put(database.robotAccounts, `${appCode}\0${userId}`, { appCode, robot });
      }),
    );
  }
  const timers = world.kernel.timersOf('operator of robots');
  for (const rules of robots.rules) {
    const inForce = (): void => putRules(world, rulesOf(robots, rules), rules.quota);
    if (rules.fromMs === 0) inForce();
    else timers.after(rules.fromMs, inForce);
  }
}

/** Robots are wanted nowhere any more. */
export function dismissRobots(world: World): void {
  const { robots } = world.options;
  const [first] = robots?.rules ?? [];
  if (robots === undefined || first === undefined) return;
  putRules(world, { ...rulesOf(robots, first), enabled: false }, first.quota);
}

/** A robot that is still in a room; null: none is. */
export function staying(world: World): string | null {
  const { database } = world;
  for (const [key, { robot }] of database.robotAccounts) {
    const [row] = database.userRooms.rowsBy('user', key);
    if (row !== undefined) return `${robot.userId} is in ${row.roomId} of ${row.appCode}`;
  }
  return null;
}

function putRules(world: World, rules: RobotRules, robotsMax: number): void {
  const { database, kernel } = world;
  for (const appCode of appsOf(world)) {
    const former = database.robotRules.get(appCode)?.configUpdatedAtMs ?? -1;
    const configUpdatedAtMs = Math.max(former + 1, Math.floor(kernel.trueMs));
    const quota = { appCode, countryCode, robotsMax };
    database.commit([
      put(database.robotRules, appCode, { ...rules, configUpdatedAtMs }),
      put(database.robotQuotas, `${appCode}\0${countryCode}`, quota),
    ]);
  }
}

function rulesOf({ pauseMaxMs, stayMaxMs }: PlannedRobots, rules: PlannedRules): RobotRules {
  const { perRoomMax, rooms, perHostRoom } = rules;
  return {
    enabled: true,
    robotsPerRoomMax: perRoomMax,
    placesForPeople: 50,
    pauseMinMs,
    pauseMaxMs,
    stayMinMs: pauseMinMs,
    stayMaxMs,
    rooms: robotRooms.slice(0, rooms).map((roomId) => ({
      roomId: roomId as RoomId,
      title: roomId,
      seatCount: 4,
      visibleRegionId: 0n,
      robots: perHostRoom,
      giftIds: ['rose' as GiftId],
    })),
  };
}

function appsOf({ options }: World): readonly AppCode[] {
  return appCodes.slice(0, options.apps) as readonly string[] as readonly AppCode[];
}
