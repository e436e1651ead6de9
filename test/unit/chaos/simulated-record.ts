/**
 * A record as a run on real processes leaves one, of a simulated run: its observations, its rows of
 * the end, and its owner rows as an onlooker sees them now and then.
 */
import type { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import type {
  AppendedRecord,
  ChaosRecord,
  OwnerSample,
  TableRows,
} from '../../chaos/record/chaos-record.ts';
import type { CheckedWorld } from '../../simulation/checkers/checker.ts';
import type { Observation } from '../../simulation/observations.ts';
import { caseOf, type SimCase } from '../../simulation/plan/sim-case.ts';
import { runCase } from '../../simulation/run/run-case.ts';

/** An onlooker looks so often, in ms. */
const lookEveryMs = 250;

/** As a run on real processes is set up: facts by the outbox alone, all rows stay, no robots. */
function asDeployed(simCase: SimCase): SimCase {
  const { lanes: _, retentionKeepMs: __, robots: ___, ...options } = simCase.options;
  return { ...simCase, options };
}

/** Plays the seed and writes down what there is at its end. */
export async function simulatedRecord(seed: number): Promise<ChaosRecord> {
  const seen: Observation[] = [];
  const samples: OwnerSample[] = [];
  let looked = -Infinity;
  const look = (world: CheckedWorld, atMs: number): void => {
    if (atMs < looked + lookEveryMs) return;
    looked = atMs;
    samples.push({ atMs, rows: [...world.database.owners.values()].map((row) => ({ ...row })) });
  };
  const collector = (world: CheckedWorld) => ({
    invariants: [],
    observe(observation: Observation) {
      if (observation.kind === 'committed') look(world, observation.atMs);
      else seen.push(observation);
    },
  });
  const simCase = asDeployed(caseOf(seed));
  const { world } = await runCase(simCase, { checkers: [collector] });
  const isCommand = ({ topic }: AppendedRecord): boolean => topic === world.commandsTopic;
  const appended = seen.filter((each): each is AppendedRecord => each.kind === 'appended');
  return {
    partitionCount: world.partitionCount,
    commandsTopic: world.commandsTopic,
    tables: tablesOf(world.database),
    commands: Array.from({ length: world.partitionCount }, (_, partition) =>
      appended.filter((each) => isCommand(each) && each.partition === partition),
    ),
    others: appended.filter((each) => !isCommand(each)),
    history: seen.filter(({ kind }) => kind !== 'appended' && kind !== 'arrived'),
    samples,
    arrivals: seen.filter((each): each is ChaosRecord['arrivals'][number] => {
      return each.kind === 'arrived';
    }),
    wallet: {
      entries: world.wallet.ledger.entries(),
      voidedKeys: world.wallet.ledger.keys().filter(({ state }) => state === 'voided'),
      accounts: world.wallet.ledger.allAccounts(),
    },
  };
}

function tablesOf(database: MemoryDatabase): TableRows {
  return {
    log: [...database.log.values()],
    events: [...database.events.values()],
    outbox: [...database.outbox.values()],
    rooms: [...database.rooms.values()],
    listEntries: [...database.listEntries.values()],
    snapshots: [...database.snapshots.values()].flat(),
    owners: [...database.owners.values()],
    settledOffsets: [...database.settled].flatMap(([partition, offsets]) =>
      [...offsets].map((offset) => ({ partition, offset })),
    ),
    deadLetters: database.deadLetters,
    settlements: [...database.settlements.values()],
    giftStats: [...database.giftStats.values()],
    roomDays: [...database.roomDays.values()],
    roomWeeks: [...database.roomWeeks.values()],
    userWeeks: [...database.userWeeks.values()],
    userRooms: [...database.userRooms.values()],
  };
}
