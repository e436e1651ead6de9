/**
 * The judgement of a recorded run: it is played into empty tables and books before the judges, as it
 * was recorded or as a test has doctored it.
 */
import { MemoryDatabase } from '../../../../src/drivers/memory/memory-database.ts';
import { WalletStandIn } from '../../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import type {
  CheckedWorld,
  CheckerFactory,
  Violation,
} from '../../../simulation/checkers/checker.ts';
import { rigOptions } from '../../../support/cell-rig.ts';
import type { Entry } from './recorded-run.ts';

/** What a test changes before the judgement. */
export interface Doctoring {
  readonly entries?: (entries: readonly Entry[]) => readonly Entry[];
  /** After everything was played, before the judges are asked for the end. */
  readonly beforeEnd?: (world: CheckedWorld) => void;
  readonly world?: Partial<CheckedWorld>;
}

const frozenTime = { wallMs: () => 0, monoMs: () => 0, after: () => () => undefined };
const clock = { ...frozenTime, sleep: () => Promise.resolve() };
const random = { fraction: () => 0.5, hex: (bytes: number) => '0'.repeat(bytes * 2) };

/** Coins of everybody at first sight. */
export const openingCoins = 1_000n;

/** What the judges find wrong with the entries, in the order of their reports. */
export function judged(
  checkers: readonly CheckerFactory[],
  entries: readonly Entry[],
  doctoring: Doctoring = {},
): Violation[] {
  const database = new MemoryDatabase({ clock, timers: clock });
  const wallet = new WalletStandIn({ clock, timers: clock, random, openingCoins });
  const records = new Map<number, { offset: bigint; value: Uint8Array | null }[]>();
  const world: CheckedWorld = {
    database,
    wallet,
    partitionCount: 2,
    commandsTopic: rigOptions.commandsTopic,
    commandRecords: (partition) => records.get(partition) ?? [],
    ...doctoring.world,
  };
  const violations: Violation[] = [];
  const judges = checkers.map((make) => make(world, (violation) => violations.push(violation)));
  for (const entry of doctoring.entries?.(entries) ?? entries) {
    if (entry.kind === 'row') store(database[entry.table], entry);
    if (entry.kind === 'deadLetters') database.deadLetters.splice(0, Infinity, ...entry.rows);
    if (entry.kind === 'wallet') entry.apply(wallet.ledger);
    if (entry.kind !== 'observed') continue;
    const { observation } = entry;
    if (observation.kind === 'appended' && observation.topic === world.commandsTopic) {
      const { partition, offset, value } = observation;
      records.set(partition, [...(records.get(partition) ?? []), { offset, value }]);
    }
    for (const judge of judges) judge.observe?.(observation);
  }
  doctoring.beforeEnd?.(world);
  for (const judge of judges) judge.atEnd?.();
  return violations;
}

function store(table: Map<unknown, unknown>, { key, row }: Extract<Entry, { kind: 'row' }>): void {
  if (row === undefined) table.delete(key);
  else table.set(key, row);
}
