/**
 * INV-51: the robots that cells play. Each of their commands is executed under the epoch that made it, or
 * not at all; is made by an account of the pool, of what robots do in that kind of room, and within the
 * quota of its country; no account is in two rooms; no robot is taken out for its silence; and their gifts
 * count as the deployment says. That they go when they are no longer wanted is progress.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { LevelHeard } from './levels.ts';
import { robotOriginOf, type RobotOrigin } from './robot-ids.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, RowChange, WorldReading } from './world-reading.ts';

/** What robots do, by the kind of room. */
const acts: Readonly<Record<RobotOrigin['kind'], readonly string[]>> = {
  host: ['CreateRoom', 'JoinRoom', 'LeaveRoom', 'SendGift'],
  guest: ['JoinRoom', 'LeaveRoom'],
};

/** Makes it; see the file header. */
export const robots: CheckerFactory = (world, report) => new Robots(world, report);

class Robots implements Checker {
  readonly invariants = ['INV-51'];
  private readonly world: CheckedWorld;
  private readonly database: CheckedWorld['database'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly rows: Cursor<RowChange<string, LogRow>>;
  private readonly steps: Cursor<LoggedStep>;
  private readonly level: LevelHeard;
  /** The largest quota so far, by app and country: what was begun under it may be executed later. */
  private readonly quotas = new Map<string, number>();
  /** Accounts that were told of as being in two rooms. */
  private readonly doubled = new Set<string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.database = world.database;
    this.report = report;
    this.reading = readingOf(world);
    this.rows = new Cursor(this.reading.log);
    this.steps = new Cursor(this.reading.steps);
    this.level = new LevelHeard(world);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  atEnd(): void {
    this.look();
  }

  private look(): void {
    this.reading.catchUp();
    for (const { appCode, countryCode, robotsMax } of this.database.robotQuotas.values()) {
      const key = `${appCode}\0${countryCode}`;
      this.quotas.set(key, Math.max(this.quotas.get(key) ?? 0, robotsMax));
    }
    for (const { before, after } of this.rows.fresh()) {
      if (before !== undefined || after === undefined) continue;
      const origin = robotOriginOf(after.commandId);
      if (origin !== null) this.checkRow(after, origin);
    }
    const isEverywhere = this.level.isEverywhere(this.database.server.clock.wallMs());
    const steps = this.steps.fresh();
    for (const step of steps) this.checkStep(step, isEverywhere);
    if (steps.length > 0) this.checkPlaces();
  }

  private checkRow(row: LogRow, origin: RobotOrigin): void {
    const { commandId, commandType, actorUserId, appCode, outcome, epoch } = row;
    const what = `${commandId} (${commandType} of ${actorUserId})`;
    // A gift that a former owner may have paid for must end in the log.
    if (origin.epoch !== epoch && outcome !== 'rejected') {
      this.fault(row, `${what} is of epoch ${origin.epoch}, and epoch ${epoch} executed it`);
    }
    if (!acts[origin.kind].includes(commandType)) {
      this.fault(row, `${what} is nothing that a robot does there`);
    }
    const account = this.database.robotAccounts.get(`${appCode}\0${actorUserId}`);
    if (account === undefined) {
      this.fault(row, `${what} is of nobody who is in the pool`);
      return;
    }
    if (origin.kind !== 'guest' || commandType !== 'JoinRoom' || outcome !== 'applied') return;
    const { countryCode } = account.robot;
    const quota = this.quotas.get(`${appCode}\0${countryCode}`) ?? 0;
    const place = this.placeInCountry(appCode, account.robot);
    if (place > quota) {
      const text = `${what} is number ${place} of ${countryCode}, whose quota was never above ${quota}`;
      this.fault(row, text);
    }
  }

  /** From 1, by the ids of all accounts of the country. */
  private placeInCountry(
    appCode: string,
    { userId, countryCode }: { readonly userId: string; readonly countryCode: string },
  ): number {
    let place = 1;
    for (const other of this.database.robotAccounts.values()) {
      const isOfCountry = other.appCode === appCode && other.robot.countryCode === countryCode;
      if (isOfCountry && other.robot.userId < userId) place += 1;
    }
    return place;
  }

  private checkStep({ room, row, events, states }: LoggedStep, isEverywhere: boolean): void {
    const { robotGiftsCount } = this.world;
    for (const [index, event] of events.entries()) {
      const users = states[index]?.users;
      if (event.type === 'RoomUsersStaleLeft') {
        const silent = event.userIds.find((userId) => users?.get(userId)?.isRobot === true);
        if (silent !== undefined) {
          this.fault(room, `${row.commandId} takes the robot ${silent} out for its silence`);
        }
      }
      if (event.type !== 'RoomGiftSent' || robotGiftsCount === undefined) continue;
      const isRobot = users?.get(event.senderUserId)?.isRobot === true;
      const isUncounted = event.isUncounted === true;
      const mustNotCount = isRobot && !robotGiftsCount;
      // Nobody counts otherwise before everybody can read it.
      if (isUncounted === mustNotCount || (!isUncounted && !isEverywhere)) continue;
      const counted = isUncounted ? 'does not count' : 'counts';
      const who = isRobot ? 'a robot' : 'a person';
      this.fault(room, `the gift of ${row.commandId} by ${who} ${counted}`);
    }
  }

  private checkPlaces(): void {
    for (const [key, { appCode, robot }] of this.database.robotAccounts) {
      if (this.doubled.has(key)) continue;
      const rooms = this.database.userRooms.rowsBy('user', key).map(({ roomId }) => roomId);
      const [first, ...others] = rooms;
      if (first === undefined || others.length === 0) continue;
      this.doubled.add(key);
      this.fault(
        { appCode, roomId: first },
        `${robot.userId} is in ${rooms.join(' and ')} at once`,
      );
    }
  }

  private fault(at: { readonly appCode: string; readonly roomId: string }, text: string): void {
    const { appCode, roomId } = at;
    this.report({ invariant: 'INV-51', text, room: { appCode, roomId } });
  }
}
