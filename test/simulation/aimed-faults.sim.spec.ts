/** Faults that wait for their moment: that each brings about what it is named for, and who judges it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../src/drivers/memory/memory-database.ts';
import { judge } from './batch/seed-summary.ts';
import type { AimedKind } from './plan/aimed-kinds.ts';
import { aimedNames } from './plan/aimed-kinds.ts';
import { planFaults } from './plan/plan-faults.ts';
import { planWorkload } from './plan/plan-workload.ts';
import { caseOf } from './plan/sim-case.ts';
import { unfinishedWork } from './run/progress.ts';
import type { RunResult } from './run/run-case.ts';

/** A run of one seed with faults of that kind alone. */
function runWith(kind: AimedKind, seed: number): Promise<RunResult> {
  const plain = caseOf(seed);
  const options = {
    ...plain.options,
    cells: 3,
    partitions: 3,
    users: 16,
    batchCommandsMax: 20,
    listCopy: true,
    faultRates: {},
    points: [],
    aimed: [kind],
  };
  const pressure = { ...plain.options.pressure, hotRoom: 0.8, looks: 0.6 };
  const workload = planWorkload({ ...options, pressure });
  return judge({ ...plain, options, workload, faults: planFaults(options), firings: [] });
}

/** Whether some counter that begins like this has counted. */
function has({ counts }: RunResult, beginning: string): boolean {
  return [...counts].some(([name, count]) => count > 0 && name.startsWith(beginning));
}

/** Most processes that stood still at the same time. */
function mostFrozen({ history }: RunResult): number {
  const frozen = new Set<string>();
  let most = 0;
  for (const seen of history) {
    if (seen.kind !== 'pod') continue;
    if (seen.what === 'frozen') frozen.add(seen.incarnation);
    else frozen.delete(seen.incarnation);
    most = Math.max(most, frozen.size);
  }
  return most;
}

/** Whether a client looked at a room while another's look at one was under way. */
function hasMetLooks({ history }: RunResult): boolean {
  const looks = history.flatMap((seen) =>
    seen.kind === 'answered' && seen.call.ask.kind === 'getRoomSnapshot'
      ? [{ fromMs: seen.call.sentAtMs, untilMs: seen.atMs }]
      : [],
  );
  return looks.some((one) =>
    looks.some((other) => other.fromMs > one.fromMs && other.fromMs < one.untilMs),
  );
}

const seeds = [1, 2, 3, 4, 5, 6];
const brings: Readonly<Record<AimedKind, (run: RunResult) => boolean>> = {
  frozenOverTakeover: (run) => mostFrozen(run) === 1 && has(run, 'cell_fenced_total'),
  staleReader: (run) => mostFrozen(run) === 2,
  heldAtCommit: (run) => has(run, 'cell_commit_ms|fenceBusy'),
  heldInSplit: (run) => has(run, 'cell_data_errors_total') && has(run, 'cell_commit_ms|fenceBusy'),
  heldThenKilled: (run) =>
    run.history.some((seen) => seen.kind === 'pod' && seen.what === 'killed'),
  claimTakenEarly: (run) => has(run, 'world_claims_retaken'),
  formerOwnerAsked: (run) => has(run, 'cell_reads_total|view|NOT_OWNER'),
  askedBehindCommit: (run) => has(run, 'cell_reads_waited_total'),
  readsLateAtCommit: hasMetLooks,
  copiesLateAtCommit: (run) => has(run, 'projection_list_copies_total|stored'),
};

describe('an aimed fault', () => {
  it.each(aimedNames)(
    '%s brings its moment about, and a healthy product bears it',
    async (kind) => {
      const runs: RunResult[] = [];
      for (const seed of seeds) runs.push(await runWith(kind, seed));
      expect(runs.flatMap(({ violations }) => violations.map(({ text }) => text))).toEqual([]);
      expect(runs.some((run) => has(run, `world_aimed_hits|${kind}`))).toBe(true);
      expect(runs.some(brings[kind])).toBe(true);
    },
  );
});

describe('a deployment at rest', () => {
  let rested: RunResult;
  beforeAll(async () => {
    const plain = caseOf(1);
    rested = await judge({ ...plain, faults: [], firings: [] });
  });

  it('has an owner of each partition who knows that it is one', () => {
    expect(rested.violations).toEqual([]);
    expect(unfinishedWork(rested.world)).toBeNull();
  });

  it.each([
    ['gave it up', { released: true }],
    ['does not know', { epoch: 999n }],
    ['does not know', { incarnation: 'cell-9.9' }],
  ])('is none while the owner %s', (says, doctored) => {
    const { world } = rested;
    const { owners } = world.database;
    const before = owners.get(0);
    if (before === undefined) throw new Error('nobody owns partition 0');
    const takeBack = change(owners, 0, (row) => ({ ...row, ...doctored }))();
    expect(unfinishedWork(world)).toMatch(new RegExp(`partition 0 is in the tables .* ${says}`));
    takeBack();
    expect(owners.get(0)).toEqual(before);
  });
});
