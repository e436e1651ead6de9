/**
 * Compares the pages of requirements with what a whole run did: a requirement is proven by a test
 * that passed, not by one that stands there.
 */
import type { Requirement } from './requirement-pages.ts';
import { idsInTitle } from './title-ids.ts';

/** The part of vitest's JSON report that is read. */
export interface NamedTestReport {
  readonly testResults: readonly {
    /** Absolute path of the spec. */
    readonly name: string;
    readonly assertionResults: readonly {
      /** Titles from the outermost `describe` to the test. */
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
}

/**
 * One sentence per proof that the run did not give. Of a spec its own tests count; the titles of
 * another file (a suite that several specs run) count in whichever spec ran them.
 */
export function reportFaults(rows: readonly Requirement[], report: NamedTestReport): string[] {
  const runs = runsById(report);
  return rows.flatMap(({ id, proof }) =>
    proof.kind === 'tests' ? proof.files.flatMap((file) => faultOf(id, file, runs)) : [],
  );
}

interface TestRun {
  readonly spec: string;
  readonly status: string;
}

function runsById({ testResults }: NamedTestReport): ReadonlyMap<string, readonly TestRun[]> {
  const runs = new Map<string, TestRun[]>();
  for (const { name, assertionResults } of testResults) {
    const spec = name.replaceAll('\\', '/');
    for (const { fullName, status } of assertionResults) {
      for (const id of idsInTitle(fullName)) {
        const ofId = runs.get(id) ?? [];
        ofId.push({ spec, status });
        runs.set(id, ofId);
      }
    }
  }
  return runs;
}

function faultOf(
  id: string,
  file: string,
  runs: ReadonlyMap<string, readonly TestRun[]>,
): string[] {
  const isSpec = file.endsWith('.spec.ts');
  const ofFile = (runs.get(id) ?? []).filter(({ spec }) => !isSpec || spec.endsWith(`/${file}`));
  if (ofFile.length === 0) return [`${id}: no test that carries it ran from ${file}`];
  const statuses = ofFile.map(({ status }) => status);
  if (statuses.includes('passed')) return [];
  return [`${id}: no test that carries it passed in ${file}: ${[...new Set(statuses)].join(', ')}`];
}
