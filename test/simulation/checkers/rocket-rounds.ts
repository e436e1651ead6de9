/**
 * INV-23, of rockets: fuel is what the log's gifts make of it by the rules that the event names; a
 * round ignites once, when its fuel reaches the target and not before; it launches at most once, not
 * before its time, with the winners that the log makes; and a room that lives launches when its time
 * is over.
 */
import type { AppCode } from '../../../src/domain/ids.ts';
import type { Observation } from '../observations.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { LevelHeard } from './levels.ts';
import type { LoggedOf } from './logged-event.ts';
import type { RocketModel, RoomModel } from './room-model.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';

/** Behind its time a launch may be so late at the end of a run that has settled. */
const lateMaxMs = 15_000;
const winnersMax = 20;

/** Makes it; see the file header. */
export const rocketRounds: CheckerFactory = (world, report) => new RocketRounds(world, report);

class RocketRounds implements Checker {
  readonly invariants = ['INV-23'];
  private readonly database: CheckedWorld['database'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly level: LevelHeard;
  /** Rounds that ignited or launched, with the command that did it. */
  private readonly ended = new Map<string, string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
    this.level = new LevelHeard(world);
  }

  observe({ kind }: Observation): void {
    if (kind !== 'committed') return;
    this.reading.catchUp();
    const isEverywhere = this.level.isEverywhere(this.database.server.clock.wallMs());
    for (const step of this.steps.fresh()) this.checkStep(step, isEverywhere);
  }

  atEnd(): void {
    this.reading.catchUp();
    for (const step of this.steps.fresh()) this.checkStep(step, false);
    const nowMs = this.database.server.clock.wallMs();
    for (const { key, current } of this.reading.rooms.values()) {
      const launchAtMs = Number(current.rocket?.ignition?.launchAtMs ?? Infinity);
      if (launchAtMs + lateMaxMs >= nowMs) continue;
      const round = current.rocket?.roundNo;
      this.fault(key, `round ${round} was to launch at ${launchAtMs}, and ${nowMs} is late`);
    }
  }

  private checkStep(step: LoggedStep, isEverywhere: boolean): void {
    const { room, row, events, states } = step;
    for (const [index, event] of events.entries()) {
      const before = states[index];
      if (before === undefined) return;
      if (event.type === 'RoomRocketFueled') this.checkFuel(step, event, before);
      if (event.type === 'RoomRocketIgnited') {
        this.once(room.key, 'ignited', event.roundNo, row.commandId);
      }
      if (event.type === 'RoomRocketLaunched') {
        this.once(room.key, 'launched', event.roundNo, row.commandId);
        this.checkLaunch(step, event, before.rocket);
      }
    }
    if (row.commandType === 'SendGift' && isEverywhere) this.checkFueled(step);
  }

  private once(key: string, what: string, roundNo: bigint, commandId: string): void {
    const name = `${key}\0${what}\0${roundNo}`;
    const first = this.ended.get(name);
    this.ended.set(name, commandId);
    if (first === undefined || first === commandId) return;
    this.fault(key, `round ${roundNo} ${what} by ${first} and again by ${commandId}`);
  }

  private checkFuel(
    { room, row, events }: LoggedStep,
    event: LoggedOf<'RoomRocketFueled'>,
    { rocket }: RoomModel,
  ): void {
    const known = this.database.rocketRules.get(room.appCode as AppCode);
    // A record of real processes does not bring the rules along: of their fuel others judge.
    if (known === undefined) return;
    const rules = known.find(({ rulesVersion }) => rulesVersion === event.rulesVersion);
    if (rules === undefined) {
      this.fault(room.key, `${row.commandId} names rules ${event.rulesVersion}, which are none`);
      return;
    }
    const coins = coinsOf(events);
    const round = rocket?.roundNo === event.roundNo ? rocket : null;
    const isIgnited = round !== null && round.ignition !== null;
    const fuel = isIgnited && rules.overflow === 'cap' ? 0n : coins * rules.fuelPerCoin;
    if (event.coins !== coins || event.fuel !== fuel) {
      const text = `${row.commandId} gave ${coins} coins and says ${event.coins} made ${event.fuel}`;
      this.fault(room.key, `${text}, where the rules make ${fuel}`);
    }
    const isFull = !isIgnited && (round?.fuel ?? 0n) + fuel >= event.fuelTarget;
    const ignites = events.some(({ type }) => type === 'RoomRocketIgnited');
    if (isFull === ignites) return;
    const text = ignites ? 'ignited below' : 'did not ignite at';
    this.fault(room.key, `${row.commandId} ${text} the target ${event.fuelTarget}`);
  }

  private checkLaunch(
    { room, row }: LoggedStep,
    event: LoggedOf<'RoomRocketLaunched'>,
    rocket: RocketModel | null,
  ): void {
    const { ignition = null, contributors = [], roundNo = 0n } = rocket ?? {};
    if (ignition === null || roundNo !== event.roundNo) {
      this.fault(room.key, `${row.commandId} launched round ${event.roundNo}, which never ignited`);
      return;
    }
    if (BigInt(row.decidedAtMs) < ignition.launchAtMs) {
      const text = `at ${row.decidedAtMs}, before ${ignition.launchAtMs}`;
      this.fault(room.key, `${row.commandId} launched round ${roundNo} ${text}`);
    }
    const winners = contributors
      .filter(({ coins }) => coins >= ignition.minimumContribution)
      .slice(0, winnersMax)
      .map(({ userId, coins }) => ({ userId, coins }));
    const told = event.winners.map(({ userId, coins }) => ({ userId, coins }));
    if (textOf(told) === textOf(winners)) return;
    const text = `names ${textOf(told)}, and the log makes ${textOf(winners)}`;
    this.fault(room.key, `the launch of round ${roundNo} ${text}`);
  }

  /** Where rules stand and everybody may write it, a gift makes fuel. */
  private checkFueled({ room, row, events, states }: LoggedStep): void {
    const rules = this.database.rocketRules.get(room.appCode as AppCode)?.at(-1);
    const gift = events.find((event) => event.type === 'RoomGiftSent');
    if (rules?.enabled !== true || gift?.type !== 'RoomGiftSent') return;
    const isRobot = states[0]?.users.get(gift.senderUserId)?.isRobot === true;
    if (isRobot && !rules.countsRobots) return;
    if (events.some(({ type }) => type === 'RoomRocketFueled')) return;
    this.fault(room.key, `${row.commandId} gave a gift that made no fuel`);
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-23', text, room: roomOfKey(key) });
  }
}

function coinsOf(events: LoggedStep['events']): bigint {
  let coins = 0n;
  for (const event of events) if (event.type === 'RoomGiftSent') coins += event.coins;
  return coins;
}
