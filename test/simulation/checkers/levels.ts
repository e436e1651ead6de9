/**
 * INV-43: nothing is written that is above the level of the deployment at that moment, so that a node
 * of the former release can take over whatever lies in the log. The level of each command and event is
 * written down here a second time on purpose.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import type { LoggedEvent } from './logged-event.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, RowChange, WorldReading } from './world-reading.ts';

/** What other releases than the third brought. Everything else came with that one. */
const brought: Readonly<Record<string, number>> = {
  ...{ CreateRoom: 1, JoinRoom: 1, LeaveRoom: 1, MicUp: 1, MicDown: 1, ConfirmMicPublishing: 1 },
  ...{ CloseRoom: 1, ExpireMicPublish: 1, SendGift: 2 },
  ...{ RoomCreated: 1, RoomUserJoined: 1, RoomUserUpdated: 1, RoomUserLeft: 1, RoomMicUp: 1 },
  ...{ LaunchRocket: 4, RoomRocketFueled: 4, RoomRocketIgnited: 4, RoomRocketLaunched: 4 },
  ...{ RoomMicPublishing: 1, RoomMicDown: 1, RoomClosed: 1, RoomGiftSent: 2 },
};
const third = 3;
const newest = 4;
const heardWithinMs = 40_000;
/** Reasons that the first release gave, of events that had any. */
const earlyReasons: Readonly<Partial<Record<LoggedEvent['type'], readonly string[]>>> = {
  RoomUserLeft: ['left', 'stale', 'kicked', 'closed'],
  RoomMicDown: ['mic_down', 'taken_down', 'left_room', 'publish_timeout', 'room_closed'],
};

/** The level of the deployment by its table. */
function levelOf({ database }: CheckedWorld): number {
  return database.schemaLevel.get('level') ?? newest;
}

/** When all cells have heard of the newest level: each looks now and then, if it is awake and MySQL answers. */
export class LevelHeard {
  private readonly world: CheckedWorld;
  private lowUntilMs = -Infinity;

  constructor(world: CheckedWorld) {
    this.world = world;
  }

  /** Told of each commit; answers whether nobody can be behind any more. */
  isEverywhere(atMs: number): boolean {
    if (levelOf(this.world) < newest) this.lowUntilMs = atMs;
    return atMs - this.lowUntilMs >= heardWithinMs;
  }
}

/** Whether the command, or an event that it may make, came after the first release. */
export function mayHaveToWait(commandType: string): boolean {
  // With a grace it makes RoomClosing.
  return brought[commandType] !== 1 || commandType === 'CloseRoom';
}

/** Makes it; see the file header. */
export const levels: CheckerFactory = (world, report) => new Levels(world, report);

class Levels implements Checker {
  readonly invariants = ['INV-43'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly rows: Cursor<RowChange<string, LogRow>>;
  private readonly steps: Cursor<LoggedStep>;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.rows = new Cursor(this.reading.log);
    this.steps = new Cursor(this.reading.steps);
  }

  /** Right behind each transaction, while the level is still what it was. */
  observe({ kind }: Observation): void {
    if (kind !== 'committed') return;
    this.reading.catchUp();
    const [rows, steps] = [this.rows.fresh(), this.steps.fresh()];
    const level = levelOf(this.world);
    if (level >= newest) return;
    for (const { key, before, after } of rows) {
      if (before !== undefined || after === undefined) continue;
      const needed = brought[after.commandType] ?? third;
      if (needed > level) this.fault(key, `${after.commandId} is a ${after.commandType}`, level);
    }
    for (const { room, row, events } of steps) {
      const late = events.find((event) => levelOfEvent(event) > level);
      if (late !== undefined) this.fault(room.key, `${row.commandId} wrote ${late.type}`, level);
    }
  }

  private fault(key: string, what: string, level: number): void {
    const text = `${what}, and the deployment is at level ${level}`;
    this.report({ invariant: 'INV-43', text, room: roomOfKey(key) });
  }
}

function levelOfEvent(event: LoggedEvent): number {
  const known = earlyReasons[event.type];
  const isLate = known !== undefined && 'reason' in event && !known.includes(event.reason);
  const own = brought[event.type] ?? third;
  return isLate ? Math.max(own, third) : own;
}
