/**
 * Which robots a room gets (ROBOT-3): of those at home in its partition, first the ones that are there
 * already, then free ones in order of their ids, and of a country never more than its quota.
 */
import type { AppCode, RoomKey } from '../../domain/ids.ts';
import type { Robot, RobotRulesInForce } from '../../domain/robots/robot-rules.ts';
import type { RoomState } from '../../domain/room/state.ts';
import { robotKeyOf, type RobotKey, type RobotPlaces } from './robot-places.ts';
import type { RobotTeam } from './robot-runtime.ts';

/**
 * The robots of each country that may be in rooms of people: the first so many of the whole pool in
 * order of their ids. Every node counts alike, so quotas hold over all of them without a word between.
 */
export function robotsWithinQuotas(
  robots: readonly Robot[],
  quotas: RobotRulesInForce['quotas'],
): ReadonlySet<Robot> {
  const counts = new Map<string, number>();
  const within = new Set<Robot>();
  for (const robot of robots) {
    const count = (counts.get(robot.countryCode) ?? 0) + 1;
    counts.set(robot.countryCode, count);
    if (count <= (quotas.get(robot.countryCode) ?? 0)) within.add(robot);
  }
  return within;
}

/**
 * One app's robots at home in one partition, at one look. A node has thousands of rooms without robots:
 * for each of them a look costs no walk over the robots.
 */
export class HomeRobots {
  private readonly appCode: AppCode;
  private readonly places: RobotPlaces;
  private readonly byKey: ReadonlyMap<RobotKey, Robot>;
  private readonly within: ReadonlySet<Robot>;
  /** Robots of a country, or of all (null), that may be free; the first one last. */
  private readonly candidates = new Map<string | null, Robot[]>();

  constructor(
    appCode: AppCode,
    own: readonly Robot[],
    within: ReadonlySet<Robot>,
    places: RobotPlaces,
  ) {
    this.appCode = appCode;
    this.places = places;
    this.within = within;
    this.byKey = new Map(own.map((robot) => [robotKeyOf(appCode, robot.userId), robot]));
  }

  /** Their names. */
  get keys(): readonly RobotKey[] {
    return [...this.byKey.keys()];
  }

  /**
   * The team of a room: at most `robotsMax` of `countryCode` and within its quota, or of all when that
   * is null. Whoever stays has its place in the room from here on.
   */
  team(
    { roomKey, state }: { readonly roomKey: RoomKey; readonly state: RoomState },
    countryCode: string | null,
    robotsMax: number,
  ): RobotTeam {
    const here = this.places
      .robotsOf(roomKey)
      .flatMap((key) => this.byKey.get(key) ?? [])
      .sort((left, right) => (left.userId < right.userId ? -1 : 1));
    const mayStay = (robot: Robot): boolean =>
      countryCode === null || (robot.countryCode === countryCode && this.within.has(robot));
    const stay = here.filter(mayStay).slice(0, robotsMax);
    while (stay.length < robotsMax) {
      const robot = this.nextFree(countryCode);
      if (robot === undefined) break;
      this.places.take(robotKeyOf(this.appCode, robot.userId), roomKey);
      stay.push(robot);
    }
    const go = here.filter((robot) => !stay.includes(robot) && state.users.has(robot.userId));
    return { stay, go };
  }

  /** Whether another room could have one more. */
  hasFree(countryCode: string | null): boolean {
    const robot = this.nextFree(countryCode);
    if (robot !== undefined) this.candidatesOf(countryCode).push(robot);
    return robot !== undefined;
  }

  private nextFree(countryCode: string | null): Robot | undefined {
    const candidates = this.candidatesOf(countryCode);
    for (;;) {
      const robot = candidates.pop();
      if (robot === undefined) return undefined;
      if (this.places.roomOf(robotKeyOf(this.appCode, robot.userId)) === undefined) return robot;
    }
  }

  private candidatesOf(countryCode: string | null): Robot[] {
    const known = this.candidates.get(countryCode);
    if (known !== undefined) return known;
    const all = [...this.byKey.values()].reverse();
    const candidates =
      countryCode === null
        ? all
        : all.filter((robot) => robot.countryCode === countryCode && this.within.has(robot));
    this.candidates.set(countryCode, candidates);
    return candidates;
  }
}
