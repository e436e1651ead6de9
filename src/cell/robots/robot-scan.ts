/**
 * Looks at the rooms of this node again and again, and gives each the robots that the rules of its app
 * want there (ROBOT-3, ROBOT-4): rooms of people that are in memory, and robot rooms, which it brings
 * there. A room whose plan has changed gets a new runtime; a quota is part of the plans of its own
 * country alone.
 */
import {
  roomKeyOf,
  splitRoomKey,
  type AppCode,
  type RoomKey,
  type UserId,
} from '../../domain/ids.ts';
import type { Robot, RobotRoom, RobotRulesInForce } from '../../domain/robots/robot-rules.ts';
import { hasPeople } from '../../domain/robots/robot-act.ts';
import { countryOfRoom } from '../../domain/robots/room-country.ts';
import type { RoomState } from '../../domain/room/state.ts';
import { Failure } from '../../kernel/failure.ts';
import { robotsPerCallMax, type RobotPool } from '../../ports/robot-pool.ts';
import { partitionOf } from '../../protocol/partition.ts';
import type { CellContext } from '../cell-context.ts';
import type { PartitionSet } from '../partition/partition-set.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import type { RobotCommands } from './robot-commands.ts';
import { robotKeyOf, RobotPlaces, type RobotKey } from './robot-places.ts';
import { RobotRuntime, type RobotPlan } from './robot-runtime.ts';
import type { RobotRuntimes } from './robot-runtimes.ts';
import { HomeRobots, robotsWithinQuotas } from './robot-teams.ts';

/** What a scan stands on. */
export interface ScanParts {
  readonly partitionCount: number;
  readonly partitions: Pick<PartitionSet, 'all'>;
  readonly registry: Pick<RoomRegistry, 'all' | 'find' | 'ensure'>;
  readonly pool: RobotPool;
  readonly commands: RobotCommands;
  /** Of rooms of people. */
  readonly guests: RobotRuntimes;
  /** Of robot rooms. */
  readonly hosts: RobotRuntimes;
}

/** One app's robots as one scan finds them, in one partition. */
interface Share {
  readonly appCode: AppCode;
  readonly rules: RobotRulesInForce;
  /** Those at home here. */
  readonly own: readonly Robot[];
  /** The same, with their places. */
  readonly home: HomeRobots;
  readonly partition: Partition;
  readonly places: RobotPlaces;
}

/** See the file header. One per membership of a cell. */
export class RobotScan {
  private readonly context: CellContext;
  private readonly parts: ScanParts;
  private readonly places = new Map<Partition, RobotPlaces>();
  private stopped = false;

  constructor(context: CellContext, parts: ScanParts) {
    this.context = context;
    this.parts = parts;
  }

  /** Looks once. Throws a Retry failure when the pool is out of reach: what runs, runs on. */
  async look(): Promise<void> {
    for (const appCode of await this.parts.pool.apps()) {
      try {
        await this.lookAtApp(appCode);
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'corrupt') throw error;
        // The robots of this app go on by the rules they have; the other apps are not held up.
        this.context.metrics.count('cell_robot_scan_failures_total');
        this.context.log.error({ appCode, error }, 'the robot rules of an app cannot be read');
      }
    }
  }

  /** Forgets the places of a partition: the next owner gives them. */
  lost(partition: Partition): void {
    this.places.delete(partition);
  }

  /** Nothing is started any more. Idempotent. */
  stop(): void {
    this.stopped = true;
  }

  private async lookAtApp(appCode: AppCode): Promise<void> {
    const { pool, partitionCount, partitions } = this.parts;
    const rules = await pool.rules(appCode);
    if (rules === null) return;
    const robots = await pool.robots(appCode, this.context.clock.wallMs());
    const within = robotsWithinQuotas(robots, rules.quotas);
    const byHome = new Map<number, Robot[]>();
    for (const robot of robots) {
      // By the rule that places rooms (ADR 25).
      const key = robotKeyOf(appCode, robot.userId) as RoomKey;
      const home = partitionOf(key, partitionCount);
      const others = byHome.get(home);
      if (others === undefined) byHome.set(home, [robot]);
      else others.push(robot);
    }
    for (const partition of [...partitions.all()]) {
      const own = byHome.get(partition.id) ?? [];
      const places = this.placesOf(partition);
      const home = new HomeRobots(appCode, own, within, places);
      await this.lookAt({ appCode, rules, own, home, partition, places });
    }
  }

  private async lookAt(share: Share): Promise<void> {
    const { appCode, own, home, partition, places, rules } = share;
    const sure = places.sure(home.keys);
    const whereabouts = await this.whereabouts(appCode, own);
    // [A] The partition may be lost while the pool is asked.
    if (this.stopped || !partition.active) return;
    places.looked(sure, whereabouts, (robot, roomKey) => this.claims(robot, roomKey));
    const hostRooms = this.hostRoomsOf(share);
    for (const [roomKey, room] of hostRooms) this.host(share, roomKey, room);
    this.endFormerHosts(share, hostRooms);
    // Robots of rooms that nobody else would bring into memory could never leave them.
    for (const roomKey of places.rooms()) {
      if (splitRoomKey(roomKey).appCode !== appCode || hostRooms.has(roomKey)) continue;
      if (partitionOf(roomKey, this.parts.partitionCount) === partition.id) {
        this.parts.registry.ensure(roomKey, partition);
      }
    }
    for (const room of [...this.parts.registry.all()]) {
      if (room.partition !== partition || hostRooms.has(room.key)) continue;
      if (splitRoomKey(room.key).appCode === appCode) this.guests(share, rules, room);
    }
  }

  private hostRoomsOf({ appCode, rules, partition }: Share): ReadonlyMap<RoomKey, RobotRoom> {
    if (!rules.enabled) return new Map();
    const rooms = rules.rooms.map((room) => [roomKeyOf(appCode, room.roomId), room] as const);
    return new Map(
      rooms.filter(([key]) => partitionOf(key, this.parts.partitionCount) === partition.id),
    );
  }

  /** A room that is no robot room any more: whoever is there goes, as from a room of people. */
  private endFormerHosts(share: Share, hostRooms: ReadonlyMap<RoomKey, RobotRoom>): void {
    const { hosts } = this.parts;
    for (const roomKey of hosts.rooms()) {
      const isOfShare =
        hosts.find(roomKey)?.partition === share.partition &&
        splitRoomKey(roomKey).appCode === share.appCode;
      if (isOfShare && !hostRooms.has(roomKey)) hosts.stop(roomKey);
    }
  }

  private host(share: Share, roomKey: RoomKey, hostRoom: RobotRoom): void {
    const { guests, hosts, registry } = this.parts;
    const room = registry.ensure(roomKey, share.partition);
    if (!isReady(room) || !['absent', 'active'].includes(room.state.status)) return;
    guests.stop(roomKey);
    const plan: RobotPlan = {
      part: { kind: 'host', room: hostRoom },
      countryCode: '',
      configUpdatedAtMs: share.rules.configUpdatedAtMs,
      quota: 0,
      robotsMax: hostRoom.robots,
      rules: share.rules,
    };
    this.want(hosts, share, room, plan);
  }

  private guests(share: Share, rules: RobotRulesInForce, room: RoomCell): void {
    const { guests } = this.parts;
    if (!isReady(room) || room.state.status !== 'active') return;
    const current = guests.find(room.key);
    const countryCode = current?.plan.countryCode ?? countryOfRoom(room.state) ?? '';
    const plan: RobotPlan = {
      part: { kind: 'guest' },
      countryCode,
      configUpdatedAtMs: rules.configUpdatedAtMs,
      quota: rules.quotas.get(countryCode) ?? 0,
      robotsMax: rules.enabled && hasPeople(room.state) ? rules.robotsPerRoomMax : 0,
      rules,
    };
    this.want(guests, share, room, plan);
  }

  private want(runtimes: RobotRuntimes, share: Share, room: RoomCell, plan: RobotPlan): void {
    const current = runtimes.find(room.key);
    const make = (): RobotRuntime | null => this.runtimeOf(share, room, plan);
    if (current === undefined) {
      const isEmpty = share.places.robotsOf(room.key).length === 0;
      if ((plan.robotsMax === 0 && isEmpty) || this.isFull()) return;
      const runtime = make();
      if (runtime !== null) runtimes.start(room.key, () => runtime);
    } else if (isOther(current.plan, plan) || mayGrow(current, plan, share.home)) {
      void runtimes.restart(room.key, make);
    }
  }

  /** Null: nobody is to come or to go, or the room or its partition has gone meanwhile. */
  private runtimeOf(
    { partition, places, home }: Share,
    room: RoomCell,
    plan: RobotPlan,
  ): RobotRuntime | null {
    if (this.stopped || !isReady(room)) return null;
    const place = { roomKey: room.key, state: room.state };
    const team = home.team(place, countryOfPlan(plan), plan.robotsMax);
    if (team.stay.length + team.go.length === 0) return null;
    const { context, parts } = this;
    const { commands } = parts;
    const state = (): RoomState | null => {
      const found = parts.registry.find(room.key);
      return found?.partition === partition && isReady(found) ? found.state : null;
    };
    const ground = { context, commands, roomKey: room.key, partition, places, state };
    return new RobotRuntime(ground, plan, team);
  }

  private isFull(): boolean {
    const { guests, hosts } = this.parts;
    const isFull = guests.size + hosts.size >= this.context.options.robotRoomsMax;
    if (isFull) this.context.metrics.count('cell_robot_rooms_refused_total');
    return isFull;
  }

  private claims(robot: RobotKey, roomKey: RoomKey): boolean {
    const userId = robot.slice(robot.indexOf('\0') + 1) as UserId;
    const { guests, hosts } = this.parts;
    return [guests, hosts].some((runtimes) => runtimes.find(roomKey)?.claims(userId) === true);
  }

  private async whereabouts(
    appCode: AppCode,
    own: readonly Robot[],
  ): Promise<ReadonlyMap<RobotKey, RoomKey>> {
    const found = new Map<RobotKey, RoomKey>();
    for (let from = 0; from < own.length; from += robotsPerCallMax) {
      const userIds = own.slice(from, from + robotsPerCallMax).map(({ userId }) => userId);
      const rows = await this.parts.pool.whereabouts(appCode, userIds);
      for (const { userId, roomId } of rows) {
        found.set(robotKeyOf(appCode, userId), roomKeyOf(appCode, roomId));
      }
    }
    return found;
  }

  private placesOf(partition: Partition): RobotPlaces {
    const places = this.places.get(partition) ?? new RobotPlaces(partition);
    this.places.set(partition, places);
    return places;
  }
}

function isReady(room: RoomCell): boolean {
  return room.usable && room.phase === 'ready';
}

/** A quota is compared here and nowhere else: that of another country changes nothing (ROBOT-4). */
function isOther(current: RobotPlan, wanted: RobotPlan): boolean {
  if (current.configUpdatedAtMs !== wanted.configUpdatedAtMs) return true;
  return current.quota !== wanted.quota;
}

/** Null: robots of every country. */
function countryOfPlan({ part, countryCode }: RobotPlan): string | null {
  return part.kind === 'host' ? null : countryCode;
}

/** Somebody has become free whom the room lacks. Without one a restart would only cut pauses short. */
function mayGrow(current: RobotRuntime, wanted: RobotPlan, home: HomeRobots): boolean {
  return wanted.robotsMax > 0 && current.isShort && home.hasFree(countryOfPlan(wanted));
}
