/**
 * `npm run sim`: the seeded simulation of whole deployments.
 *
 *   npm run sim -- --seeds 1..500     many, on all cores; ends with one line of sums
 *   npm run sim -- --seed 7 [--log]   one, told in full; `--log` with the processes' log lines
 *   npm run sim -- --replay FILE      a stored case
 *   npm run sim -- (--seed 7 | --replay FILE) --shrink [--out FILE]   makes a failing one small
 *   npm run sim -- --hashes 1,2,3     the trace hash of each
 *   npm run sim -- --plant 17 [--seeds A..B]   looks for one planted bug (test/planted)
 *   npm run sim -- --plants [--seeds A..B]     looks for each, and writes docs/planted-bugs.md
 *
 * Exit code 1: a promise was broken, or many seeds have never seen something that they must.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { runBatch, serveSeeds } from '../test/simulation/batch/batch.ts';
import type { BatchResult, SeedRange } from '../test/simulation/batch/batch.ts';
import { reportOf } from '../test/simulation/batch/report.ts';
import { judge, runSeed } from '../test/simulation/batch/seed-summary.ts';
import { shrink } from '../test/simulation/batch/shrink.ts';
import { caseOf, type SimCase, type StoredCase } from '../test/simulation/plan/sim-case.ts';

const usage = 'usage: npm run sim -- --seeds A..B | --seed N | --replay FILE [--shrink] [--log]';
const workerFlag = '--worker';
const thisFile = fileURLToPath(import.meta.url);
const say = (line: string): void => console.log(line);

if (process.argv.includes(workerFlag)) serveSeeds();
else process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      replay: { type: 'string' },
      hashes: { type: 'string' },
      shrink: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
      out: { type: 'string' },
      plant: { type: 'string' },
      plants: { type: 'boolean', default: false },
    },
  });
  if (values.plant !== undefined || values.plants) {
    return huntPlants(values.plant ?? null, values.seeds);
  }
  if (values.seeds !== undefined) return manySeeds(rangeOf(values.seeds));
  if (values.hashes !== undefined) return hashes(values.hashes.split(',').map(Number));
  const simCase =
    values.seed !== undefined
      ? caseOf(Number(values.seed))
      : values.replay !== undefined
        ? (JSON.parse(readFileSync(values.replay, 'utf8')) as StoredCase)
        : null;
  if (simCase === null) {
    console.error(usage);
    return 2;
  }
  return values.shrink ? makeSmall(simCase, values.out) : oneCase(simCase, values.log);
}

async function manySeeds(range: SeedRange): Promise<number> {
  const workers = { file: thisFile, args: [workerFlag], count: availableParallelism() };
  const clock = createSystemClock();
  const startedMonoMs = clock.monoMs();
  const result = await runBatch(range, workers, say);
  say(speedLine(result, (clock.monoMs() - startedMonoMs) / 1_000, workers.count));
  for (const name of result.missed) say(`never seen: ${name} (INV-37)`);
  say(result.lastLine);
  return result.violations === 0 && result.missed.length === 0 ? 0 : 1;
}

/** Loaded only when it is asked for: it stands on packages that only development has. */
async function huntPlants(number: string | null, seeds: string | undefined): Promise<number> {
  const { plantCommand, plantsCommand, usualRange } =
    await import('../test/simulation/plants/plants-command.ts');
  const { first, last } = seeds === undefined ? usualRange : rangeOf(seeds);
  const range = { ...usualRange, first, last };
  return number === null ? plantsCommand(range, say) : plantCommand(Number(number), range, say);
}

/** How quick the batch was, with its processes starting. */
function speedLine(result: BatchResult, tookS: number, workers: number): string {
  const perSecond = (sum: number): string => (sum / tookS).toFixed(1);
  const perSeed = Math.round(result.events / result.seeds);
  return (
    `${tookS.toFixed(1)} s on ${workers} cores: ${perSecond(result.seeds)} seeds/s of ${perSeed} ` +
    `events, ${perSecond(result.events)} events/s, virtual time ` +
    `${perSecond(result.virtualMs / 1_000)} times the real`
  );
}

async function hashes(seeds: readonly number[]): Promise<number> {
  for (const seed of seeds) say(`${seed} ${(await runSeed(seed)).hash}`);
  return 0;
}

async function oneCase(simCase: SimCase, withLog: boolean): Promise<number> {
  const lines: string[] = [];
  const result = await judge(simCase, withLog ? (line) => lines.push(line) : undefined);
  for (const line of [...lines, ...reportOf(result)]) say(line);
  return result.violations.length === 0 ? 0 : 1;
}

async function makeSmall(simCase: SimCase, out: string | undefined): Promise<number> {
  const [broken] = (await judge(simCase)).violations;
  if (broken === undefined) {
    console.error('the case breaks no promise: there is nothing to make small');
    return 2;
  }
  say(`looking for the smallest case that breaks ${broken.invariant}`);
  const small = await shrink(
    simCase,
    async (smaller) => {
      const { violations } = await judge(smaller);
      return violations.some(({ invariant }) => invariant === broken.invariant);
    },
    say,
  );
  const file = out ?? `sim-case-${simCase.options.seed}.json`;
  const date = new Date().toISOString().slice(0, 10);
  const cause = `${broken.invariant}: ${broken.text}`;
  const stored: StoredCase = { date, cause, ...small };
  writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`);
  say(`written to ${file}`);
  return 1;
}

function rangeOf(text: string): SeedRange {
  const [first = NaN, last = NaN] = text.split('..').map(Number);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first > last) {
    throw new Error(usage);
  }
  return { first, last };
}
