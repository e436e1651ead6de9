/**
 * Which room each robot of one partition belongs to, for one ownership of it. A robot may be used by
 * the rooms of its own partition alone, so that whoever owns the partition is the only one who gives
 * it a place (ADR 25).
 *
 * Race (test "a robot whose join is still on its way is given to no other room"): no robot may be in
 * two rooms.
 *   1. A join of a robot is in the topic, or nobody knows whether it is.
 *   2. Its room closes, or its rules change; the robot is seen in no room, and another room wants it.
 *   3. Both joins are executed.
 * Closed by keeping the robot's place until the offset of the join is settled; a join of which nobody
 * knows keeps it until the robot has been seen in that room, or the partition is lost: what is left in
 * the topic then names a former epoch, and is not executed.
 */
import type { RoomKey, UserId } from '../../domain/ids.ts';
import type { ProduceOutcome } from '../../ports/command-sink.ts';
import type { Partition } from '../partition/partition.ts';

/** A robot of an app: its user id alone is not unique. */
export type RobotKey = string;

/** The name of an app's robot here. */
export function robotKeyOf(appCode: string, userId: UserId): RobotKey {
  return `${appCode}\0${userId}`;
}

interface Place {
  readonly roomKey: RoomKey;
  /** Joins that are being sent. */
  sending: number;
  /** The last join that is in the topic. */
  joinedAt: bigint | null;
  /** A join of which nobody knows whether it is in the topic. */
  isJoinLost: boolean;
  /** Grows with all that is done here: what was read before says nothing about what came after. */
  changes: number;
}

/** Robots of which a look at what is committed can say where they are, and what it was like then. */
export type SureRobots = ReadonlyMap<RobotKey, number>;

/** See the file header. */
export class RobotPlaces {
  private readonly partition: Pick<Partition, 'offsets'>;
  private readonly places = new Map<RobotKey, Place>();
  /** The same the other way round. */
  private readonly byRoom = new Map<RoomKey, Set<RobotKey>>();

  constructor(partition: Pick<Partition, 'offsets'>) {
    this.partition = partition;
  }

  /** The room that has the robot; undefined: none, as far as is known. */
  roomOf(robot: RobotKey): RoomKey | undefined {
    return this.places.get(robot)?.roomKey;
  }

  /** The robots that the room has. */
  robotsOf(roomKey: RoomKey): readonly RobotKey[] {
    return [...(this.byRoom.get(roomKey) ?? [])];
  }

  /** Every room that has a robot. */
  rooms(): ReadonlySet<RoomKey> {
    return new Set(this.byRoom.keys());
  }

  /** Gives the robot to the room. False: another one has it. */
  take(robot: RobotKey, roomKey: RoomKey): boolean {
    const place = this.places.get(robot);
    if (place !== undefined) return place.roomKey === roomKey;
    const fresh = { sending: 0, joinedAt: null, isJoinLost: false, changes: 0 };
    this.places.set(robot, { roomKey, ...fresh });
    const robots = this.byRoom.get(roomKey) ?? new Set();
    this.byRoom.set(roomKey, robots.add(robot));
    return true;
  }

  /** A join of the robot is sent now; `done` is told how that ended. */
  joining(robot: RobotKey): (outcome: ProduceOutcome) => void {
    const place = this.places.get(robot);
    if (place === undefined) return () => undefined;
    place.sending += 1;
    place.changes += 1;
    return (outcome) => {
      place.sending -= 1;
      place.changes += 1;
      if (outcome.kind === 'stored') place.joinedAt = later(place.joinedAt, outcome.offset);
      if (outcome.kind === 'unknown') place.isJoinLost = true;
    };
  }

  /** Whether a join of the robot may still be executed. */
  isJoining(robot: RobotKey): boolean {
    const place = this.places.get(robot);
    if (place === undefined) return false;
    const { sending, joinedAt, isJoinLost } = place;
    if (sending > 0 || isJoinLost) return true;
    return joinedAt !== null && joinedAt > this.partition.offsets.appliedOffset;
  }

  /** The robot was seen in its room: the join of which nobody knew was executed, for it is sent once. */
  seen(robot: RobotKey): void {
    const place = this.places.get(robot);
    if (place !== undefined) place.isJoinLost = false;
  }

  /** Asked before a look; only these robots may be freed or moved by it. */
  sure(robots: readonly RobotKey[]): SureRobots {
    const sure = robots.filter((robot) => !this.isJoining(robot));
    return new Map(sure.map((robot) => [robot, this.places.get(robot)?.changes ?? -1]));
  }

  /**
   * What a look saw: `whereabouts` of all robots that were asked for. Whoever is in a room belongs to
   * that room, whoever brought it there; whoever is nowhere is free, unless its room still `claims` it.
   */
  looked(
    sure: SureRobots,
    whereabouts: ReadonlyMap<RobotKey, RoomKey>,
    claims: (robot: RobotKey, roomKey: RoomKey) => boolean,
  ): void {
    for (const [robot, changes] of sure) {
      const place = this.places.get(robot);
      if ((place?.changes ?? -1) !== changes) continue;
      const seenIn = whereabouts.get(robot);
      if (place !== undefined && seenIn === place.roomKey) continue;
      if (seenIn !== undefined) {
        this.free(robot);
        this.take(robot, seenIn);
      } else if (place !== undefined && !claims(robot, place.roomKey)) {
        this.free(robot);
      }
    }
  }

  private free(robot: RobotKey): void {
    const place = this.places.get(robot);
    if (place === undefined) return;
    this.places.delete(robot);
    const robots = this.byRoom.get(place.roomKey);
    robots?.delete(robot);
    if (robots?.size === 0) this.byRoom.delete(place.roomKey);
  }
}

function later(left: bigint | null, right: bigint): bigint {
  return left === null || right > left ? right : left;
}
