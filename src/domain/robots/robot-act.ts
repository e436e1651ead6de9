/**
 * What one robot does next in its room. Pure: it is asked after each of the robot's pauses, on the
 * room's committed state, and answers at most one act. Chance comes in as a number.
 */
import type { GiftId, UserId } from '../ids.ts';
import type { RoomState } from '../room/state.ts';
import type { RobotRoom, RobotRules } from './robot-rules.ts';

/** `guest`: tops up a room of people. `host`: lives in a robot room, which may have to be opened. */
export type RobotPart =
  { readonly kind: 'guest' } | { readonly kind: 'host'; readonly room: RobotRoom };

/** What one robot looks at. */
export interface RobotScene {
  readonly part: RobotPart;
  readonly rules: RobotRules;
  readonly state: RoomState;
  readonly robot: UserId;
  /** The robots of the room, in their order; the first ones stay longest. */
  readonly team: readonly UserId[];
  /** Joins of the team whose end is not known yet. */
  readonly joining: number;
  /** The robot has been here for as long as it wanted to. */
  readonly hasStayed: boolean;
  readonly usersPerRoomMax: number;
  /** Uniform in [0, 1): which gift, and whom it is for. */
  readonly chance: number;
}

/** One act. `end`: nothing is left to do in this room. */
export type RobotAct =
  | { readonly type: 'none' | 'join' | 'leave' | 'end' }
  | { readonly type: 'open'; readonly room: RobotRoom }
  | { readonly type: 'gift'; readonly giftId: GiftId; readonly targetUserId: UserId };

/** See the file header. */
export function nextRobotAct(scene: RobotScene): RobotAct {
  const { part, state } = scene;
  if (state.status === 'absent') return whenAbsent(scene);
  if (state.status !== 'active') return { type: 'end' };
  return part.kind === 'host' ? hostAct(scene, part.room) : guestAct(scene);
}

/** The first robot of a team opens a robot room, and owns it (ROBOT-1). */
function whenAbsent({ part, team, robot }: RobotScene): RobotAct {
  if (part.kind === 'guest') return { type: 'end' };
  return robot === team[0] ? { type: 'open', room: part.room } : { type: 'none' };
}

function hostAct(scene: RobotScene, room: RobotRoom): RobotAct {
  const { state, robot } = scene;
  if (state.users.has(robot)) return giftAct(scene, room);
  return mayCome(scene, Math.min(room.robots, placesLeft(scene))) ? { type: 'join' } : none;
}

function guestAct(scene: RobotScene): RobotAct {
  const { state, robot, hasStayed } = scene;
  const wanted = guestsWanted(scene);
  if (!state.users.has(robot)) {
    // Nobody is left whom a robot could keep company, and nobody of the team is on the way.
    if (!hasPeople(state) && scene.joining === 0) return { type: 'end' };
    return mayCome(scene, wanted) ? { type: 'join' } : none;
  }
  const place = presentOf(scene).indexOf(robot);
  return hasStayed || place >= wanted ? { type: 'leave' } : none;
}

const none: RobotAct = { type: 'none' };

/** Robots that the room shall have now: none without people, and never a place too many. */
function guestsWanted(scene: RobotScene): number {
  if (!hasPeople(scene.state)) return 0;
  return Math.min(scene.rules.robotsPerRoomMax, placesLeft(scene));
}

/**
 * Places for robots of the team beside everybody else, when so many are kept free for people
 * (ROBOT-3). People who come take them, and robots go until there are as many again.
 */
function placesLeft(scene: RobotScene): number {
  const { state, usersPerRoomMax, rules } = scene;
  const others = state.users.size - presentOf(scene).length;
  return Math.max(0, usersPerRoomMax - rules.placesForPeople - others);
}

function mayCome(scene: RobotScene, wanted: number): boolean {
  if (scene.state.bans.has(scene.robot)) return false;
  return presentOf(scene).length + scene.joining < wanted;
}

function giftAct(scene: RobotScene, { giftIds }: RobotRoom): RobotAct {
  const targets = presentOf(scene).filter((userId) => userId !== scene.robot);
  const pick = Math.floor(scene.chance * giftIds.length * targets.length);
  const giftId = giftIds[pick % Math.max(giftIds.length, 1)];
  const targetUserId = targets[Math.floor(pick / Math.max(giftIds.length, 1))];
  if (giftId === undefined || targetUserId === undefined) return none;
  return { type: 'gift', giftId, targetUserId };
}

function presentOf({ team, state }: RobotScene): readonly UserId[] {
  return team.filter((userId) => state.users.has(userId));
}

/** Whether anybody but robots is there. */
export function hasPeople({ users }: RoomState): boolean {
  for (const { isRobot } of users.values()) if (!isRobot) return true;
  return false;
}
