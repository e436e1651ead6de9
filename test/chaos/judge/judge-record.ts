/**
 * The judges of the simulation before a run on real processes. They are shown the rows of the end
 * first, then what clients, onlookers and topics saw, in its order; what needs the tables as they were
 * in between is shown to the fence alone, row by row.
 */
import { agreeingTables } from '../../simulation/checkers/agreeing-tables.ts';
import { answeredCommands } from '../../simulation/checkers/answered-commands.ts';
import { appsApart } from '../../simulation/checkers/apps-apart.ts';
import { arrivals } from '../../simulation/checkers/arrivals.ts';
import type { CheckerFactory, Violation } from '../../simulation/checkers/checker.ts';
import { coinTotals } from '../../simulation/checkers/coin-totals.ts';
import { fence } from '../../simulation/checkers/fence.ts';
import { giftSums } from '../../simulation/checkers/gift-sums.ts';
import { levels } from '../../simulation/checkers/levels.ts';
import { luckyGifts } from '../../simulation/checkers/lucky-gifts.ts';
import { money } from '../../simulation/checkers/money.ts';
import { notSent } from '../../simulation/checkers/not-sent.ts';
import { offsetFates } from '../../simulation/checkers/offset-fates.ts';
import { orderInTime } from '../../simulation/checkers/order-in-time.ts';
import { passedOffsets } from '../../simulation/checkers/passed-offsets.ts';
import { presence } from '../../simulation/checkers/presence.ts';
import { rebuiltState } from '../../simulation/checkers/rebuilt-state.ts';
import { rememberedRefusals } from '../../simulation/checkers/remembered-refusals.ts';
import { seats } from '../../simulation/checkers/seats.ts';
import { sentCommands } from '../../simulation/checkers/sent-commands.ts';
import { settledCalls } from '../../simulation/checkers/settled-calls.ts';
import { uniqueRows } from '../../simulation/checkers/unique-rows.ts';
import { versionChain } from '../../simulation/checkers/version-chain.ts';
import type { Observation } from '../../simulation/observations.ts';
import type { ChaosRecord } from '../record/chaos-record.ts';
import { JudgedWorld } from './judged-world.ts';
import { ownersInOrder } from './owners-in-order.ts';
import { timelineOf } from './timeline.ts';

/**
 * Everybody but those who judge states in between: `outboxRows` (each change of a row), `sweptUsers`,
 * `ownerReads`, `watchedRooms` and `lookedUp` (the tables at the time of a call). The end of the outbox
 * is looked at before the run is over.
 */
export const judgesOfTheEnd: readonly CheckerFactory[] = [
  ...[answeredCommands, uniqueRows, versionChain, agreeingTables, offsetFates, passedOffsets],
  ...[sentCommands, notSent, orderInTime, rebuiltState, settledCalls, arrivals, money, coinTotals],
  ...[luckyGifts, giftSums, seats, presence, rememberedRefusals, levels, appsApart],
];

/** What the judges reported, and the world that they looked at, for who explains it. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly world: JudgedWorld;
}

/** A run that is wholly wrong tells no more by its thousandth violation. */
const violationsMax = 1_000;

/** See the file header. */
export function judgeRecord(record: ChaosRecord): Verdict {
  const violations: Violation[] = [];
  const report = (violation: Violation): void => {
    if (violations.length < violationsMax) violations.push(violation);
  };
  const world = judgeEnd(record, report);
  judgeFence(record, report);
  return { violations, world };
}

function judgeEnd(record: ChaosRecord, report: (violation: Violation) => void): JudgedWorld {
  const world = new JudgedWorld(record);
  const judges = judgesOfTheEnd.map((make) => make(world, report));
  const show = (observation: Observation): void => {
    for (const judge of judges) judge.observe?.(observation);
  };
  const committed = (atMs: number): void => show({ kind: 'committed', atMs });
  world.fill();
  committed(0);
  let atMs = 0;
  for (const moment of timelineOf(record)) {
    if ('rows' in moment) {
      world.setOwners(moment.rows);
      committed(moment.atMs);
    } else show(moment);
    atMs = moment.atMs;
  }
  world.setSettled();
  world.setOwners(record.tables.owners);
  committed(atMs);
  for (const arrival of record.arrivals) show(arrival);
  // Behind the owner rows: those were seen later than they were so, and a reply follows its commit.
  for (const other of record.others) show(other);
  for (const judge of judges) judge.atEnd?.();
  return world;
}

function judgeFence(record: ChaosRecord, report: (violation: Violation) => void): void {
  const world = new JudgedWorld(record);
  const judge = fence(world, report);
  for (const { owners, row } of ownersInOrder(record)) {
    world.setOwners(owners);
    if (row !== null) {
      world.database.log.set(`${row.appCode}\0${row.roomId}\0${row.commandId}`, row);
    }
    judge.observe?.({ kind: 'committed', atMs: 0 });
  }
  judge.atEnd?.();
}
