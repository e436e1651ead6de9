/**
 * How an app's rooms are given robots (ROBOT-1, ROBOT-3): accounts that the service plays itself. Two
 * kinds of rooms have them: robot rooms, which are named here and are filled by robots alone, and
 * rooms of people, which a few robots top up.
 */
import type { GiftId, RoomId, UserId } from '../ids.ts';
import { giftIdFault, userIdFault, wideIdFault } from '../ids.ts';

/** An account of the pool. `countryCode` is '' when nobody knows it. */
export interface Robot {
  readonly userId: UserId;
  readonly nickname: string;
  readonly avatarUrl: string;
  readonly countryCode: string;
}

/** A room that robots open, fill and give gifts in. */
export interface RobotRoom {
  readonly roomId: RoomId;
  /** What the room is called when robots open it. */
  readonly title: string;
  readonly seatCount: number;
  readonly visibleRegionId: bigint;
  /** Robots that live in it. */
  readonly robots: number;
  /** What they give to one another, drawn evenly; none: they only are there. */
  readonly giftIds: readonly GiftId[];
}

/** The rules as an operator writes them. Times in milliseconds. */
export interface RobotRules {
  /** False: robots leave every room, one after another. */
  readonly enabled: boolean;
  /** Robots in a room of people, however many people there are. */
  readonly robotsPerRoomMax: number;
  /** Places of every room that robots leave to people (ROBOT-3). */
  readonly placesForPeople: number;
  /** Between two acts of one robot, drawn evenly. */
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
  /** For how long a robot stays in a room of people, drawn evenly. */
  readonly stayMinMs: number;
  readonly stayMaxMs: number;
  readonly rooms: readonly RobotRoom[];
}

/** The rules as they are stored. */
export interface RobotRulesInForce extends RobotRules {
  /** Grows with every change of the rules; quotas have no part in it (ROBOT-4). */
  readonly configUpdatedAtMs: number;
  /** Robots of a country that may be in rooms of people, in the whole deployment; absent: none. */
  readonly quotas: ReadonlyMap<string, number>;
}

/** Robots in one room, of either kind. */
export const robotsPerRoomLimit = 200;
/** Robot rooms of one app. */
export const robotRoomsMax = 1_000;
/** Kinds of gifts of one robot room. */
export const robotGiftsMax = 20;
/** Shortest pause of a robot: below it a room would do nothing else. */
export const robotPauseLeastMs = 200;
/** Longest pause and longest stay. */
export const robotTimeMostMs = 86_400_000;
/** Characters of a country's code. */
export const countryCodeMax = 8;
/** Largest quota of a country. */
export const robotQuotaMax = 1_000_000;

/** What is wrong with the rules, all at once; none is well. */
export function robotRulesFaults(rules: RobotRules): readonly string[] {
  const faults = [
    inRange('robots_per_room_max', rules.robotsPerRoomMax, 0, robotsPerRoomLimit),
    inRange('places_for_people', rules.placesForPeople, 0, 100_000),
    inRange('pause_min_ms', rules.pauseMinMs, robotPauseLeastMs, robotTimeMostMs),
    inRange('pause_max_ms', rules.pauseMaxMs, rules.pauseMinMs, robotTimeMostMs),
    inRange('stay_min_ms', rules.stayMinMs, robotPauseLeastMs, robotTimeMostMs),
    inRange('stay_max_ms', rules.stayMaxMs, rules.stayMinMs, robotTimeMostMs),
    inRange('rooms', rules.rooms.length, 0, robotRoomsMax),
    ...rules.rooms.flatMap(robotRoomFaults),
    new Set(rules.rooms.map(({ roomId }) => roomId)).size === rules.rooms.length
      ? null
      : 'rooms: a room is named twice',
  ];
  return faults.filter((fault) => fault !== null);
}

/** What is wrong with an account, all at once; none is well. The sizes are those of a profile. */
export function robotFaults({
  userId,
  nickname,
  avatarUrl,
  countryCode,
}: Robot): readonly string[] {
  const faults = [
    userIdFault(userId) === null ? null : `user_id ${userId}: not an id`,
    atMost(`nickname of ${userId}`, nickname, 64),
    atMost(`avatar_url of ${userId}`, avatarUrl, 512),
    atMost(`country_code of ${userId}`, countryCode, countryCodeMax),
  ];
  return faults.filter((fault) => fault !== null);
}

function atMost(name: string, text: string, most: number): string | null {
  return text.length <= most ? null : `${name}: more than ${most} characters`;
}

function robotRoomFaults(room: RobotRoom): readonly (string | null)[] {
  const { roomId, title, seatCount, visibleRegionId, robots, giftIds } = room;
  return [
    wideIdFault(roomId) === null ? null : `room_id ${roomId}: not an id`,
    title.length <= 100 ? null : `title of ${roomId}: more than 100 characters`,
    inRange(`seat_count of ${roomId}`, seatCount, 1, 50),
    visibleRegionId >= 0n ? null : `visible_region_id of ${roomId}: below 0`,
    inRange(`robots of ${roomId}`, robots, 1, robotsPerRoomLimit),
    inRange(`gift_ids of ${roomId}`, giftIds.length, 0, robotGiftsMax),
    giftIds.every((giftId) => giftIdFault(giftId) === null) ? null : `gift_ids of ${roomId}: no id`,
  ];
}

function inRange(name: string, value: number, least: number, most: number): string | null {
  const isWell = Number.isSafeInteger(value) && value >= least && value <= most;
  return isWell ? null : `${name}: not a whole number from ${least} to ${most}`;
}
