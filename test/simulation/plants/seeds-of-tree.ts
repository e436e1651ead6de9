/**
 * The program that runs within a copy of the tree: `<from> <to>`. One seed after another, one line
 * of JSON each on stdout; whoever started it stops it when it has seen enough.
 */
import { writeSync } from 'node:fs';
import { allCheckers } from '../checkers/all-checkers.ts';
import { caseOf } from '../plan/sim-case.ts';
import { runCase } from '../run/run-case.ts';

/** How one seed ended. */
export interface SeedEnd {
  readonly seed: number;
  readonly acked: number;
  readonly violations: readonly { readonly invariant: string; readonly text: string }[];
  /** The run's counters by name and labels. */
  readonly counts: Readonly<Record<string, number>>;
}

const [from = 1, to = from] = process.argv.slice(2).map(Number);
for (let seed = from; seed <= to; seed += 1) {
  const { acked, violations, counts } = await runCase(caseOf(seed), { checkers: allCheckers });
  const end: SeedEnd = {
    seed,
    acked,
    violations: violations.map(({ invariant, text }) => ({ invariant, text })),
    counts: Object.fromEntries(counts),
  };
  writeSync(1, `${JSON.stringify(end)}\n`);
}
process.exit(0);
