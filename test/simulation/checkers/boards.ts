/**
 * INV-50: no board shows more of a room than was given there in the period by what is committed: a gift
 * counts once or, for a while, not at all. That the sums are what the log makes is INV-23.
 */
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';

/** Makes it; see the file header. */
export const boards: CheckerFactory = (world, report) => new Boards(world, report);

class Boards implements Checker {
  readonly invariants = ['INV-50'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly told = new Set<string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'committed') this.look();
  }

  atEnd(): void {
    this.look();
  }

  private look(): void {
    const { database } = this.world;
    const apps = new Set([...database.roomWeeks.values()].map(({ appCode }) => appCode as string));
    for (const appCode of apps) {
      for (const [period, given] of givenIn(database, appCode)) {
        const shown = this.world.board?.(appCode, period) ?? new Map<string, bigint>();
        for (const [roomId, coins] of shown) this.judge({ appCode, roomId }, period, coins, given);
      }
    }
  }

  private judge(
    room: NonNullable<Violation['room']>,
    period: string,
    coins: bigint,
    given: ReadonlyMap<string, bigint>,
  ): void {
    const most = given.get(room.roomId) ?? 0n;
    const name = `${room.appCode}/${room.roomId}/${period}`;
    if (coins <= most || this.told.has(name)) return;
    this.told.add(name);
    const text = `the board ${period} shows ${coins} coins of ${room.roomId}, and ${most} were given`;
    this.report({ invariant: 'INV-50', text, room });
  }
}

/** What was given in each room of an app, by the names of the periods, as the tables have it. */
export function givenIn(
  { roomDays, roomWeeks }: CheckedWorld['database'],
  appCode: string,
): ReadonlyMap<string, ReadonlyMap<string, bigint>> {
  const periods = new Map<string, Map<string, bigint>>();
  const add = (period: string, roomId: string, coins: bigint): void => {
    const rooms = periods.get(period) ?? new Map<string, bigint>();
    periods.set(period, rooms.set(roomId, (rooms.get(roomId) ?? 0n) + coins));
  };
  for (const row of roomDays.values()) {
    if (row.appCode === appCode) add(row.utcDay, row.roomId, row.coins);
  }
  for (const row of roomWeeks.values()) {
    if (row.appCode !== appCode) continue;
    add(row.isoWeek, row.roomId, row.coins);
    add('all', row.roomId, row.coins);
  }
  return periods;
}
