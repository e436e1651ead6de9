/** A run follows from its seed alone (INV-38), and touches nothing real. */
import { describe, expect, it } from 'vitest';
import { judge, runSeed } from './batch/seed-summary.ts';
import { banRealWorld } from './kernel/real-world-ban.ts';
import { caseOf } from './plan/sim-case.ts';
import { runToEnd } from '../support/run-to-end.ts';

const seeds = [3, 77, 412];
const childLimitMs = 110_000;

describe('the trace of a run', () => {
  it('is the same when the same seed runs again, and another for another seed', async () => {
    const first: string[] = [];
    const second: string[] = [];
    for (const seed of seeds) first.push((await runSeed(seed)).hash);
    for (const seed of [...seeds].reverse()) second.unshift((await runSeed(seed)).hash);
    expect(second).toEqual(first);
    expect(new Set(first).size).toBe(seeds.length);
  });

  it('is the same in another process', async () => {
    const here: string[] = [];
    for (const seed of seeds) here.push(`${seed} ${(await runSeed(seed)).hash}`);
    const args = ['--hashes', seeds.join()];
    const child = await runToEnd('scripts/sim.js', args, process.env, childLimitMs);
    expect(child.output.split('\n').filter((line) => /^\d+ [0-9a-f]{16}$/.test(line))).toEqual(
      here,
    );
  });

  it('is the same for a case that was written down and read again', async () => {
    const simCase = caseOf(seeds[0] ?? 1);
    const again = JSON.parse(JSON.stringify(simCase)) as typeof simCase;
    expect((await judge(again)).hash).toBe((await judge(simCase)).hash);
  });
});

describe('while a run is on', () => {
  it('the real clock, timers and chance throw, and are back afterwards', () => {
    const uses: readonly (() => unknown)[] = [
      () => Date.now(),
      () => new Date(),
      () => performance.now(),
      () => Math.random(),
      () => setTimeout(() => undefined, 1),
      () => process.hrtime(),
    ];
    const giveBack = banRealWorld();
    const refusals = uses.map((use) => {
      try {
        use();
        return 'allowed';
      } catch {
        return 'refused';
      }
    });
    const fixed = new Date(0).toISOString();
    giveBack();
    expect(refusals).toEqual(uses.map(() => 'refused'));
    expect(fixed).toBe('1970-01-01T00:00:00.000Z');
    expect(Date.now()).toBeGreaterThan(0);
  });
});
