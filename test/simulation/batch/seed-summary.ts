/** What is left of a run when it is over and was one of many: plain data that travels between processes. */
import { allCheckers } from '../checkers/all-checkers.ts';
import { caseOf, type SimCase } from '../plan/sim-case.ts';
import { runCase, type RunResult } from '../run/run-case.ts';

/** See the file header. */
export interface SeedSummary {
  readonly seed: number;
  readonly hash: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly acked: number;
  readonly violations: readonly {
    readonly invariant: string;
    readonly text: string;
    readonly step: number;
  }[];
  readonly counts: readonly (readonly [string, number])[];
}

/** Runs a case before every checker that there is. */
export function judge(simCase: SimCase, write?: (line: string) => void): Promise<RunResult> {
  return runCase(simCase, {
    checkers: allCheckers,
    ...(write === undefined ? {} : { write }),
  });
}

/** Runs one seed. */
export async function runSeed(seed: number): Promise<SeedSummary> {
  const { hash, steps, virtualMs, acked, violations, counts } = await judge(caseOf(seed));
  return {
    seed,
    hash,
    steps,
    virtualMs,
    acked,
    violations: violations.map(({ invariant, text, step }) => ({ invariant, text, step })),
    counts: [...counts],
  };
}

/** A line for people. */
export function violationLine({ seed, violations }: SeedSummary): string {
  const [first] = violations;
  const invariants = [...new Set(violations.map(({ invariant }) => invariant))].join(', ');
  return `seed ${seed}: ${invariants} (step ${first?.step}): ${first?.text}`;
}
