/**
 * Looks for a plant: runs seeds in the planted copy until a named invariant's checker cries at one
 * that is green without the plant.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Plant } from '../../planted/plants.ts';
import type { SeedRange } from '../batch/batch.ts';
import type { SeedSummary } from '../batch/seed-summary.ts';
import type { PlantedTrees } from './planted-tree.ts';

/** Where and how long to look. */
export interface HuntRange extends SeedRange {
  readonly limitMs: number;
}

/** What came of a hunt. */
export interface Found {
  readonly plant: Plant;
  /** Seeds that were run to their end. */
  readonly seeds: readonly SeedSummary[];
  /** The first seed at which one of the named invariants cried, and which. */
  readonly named: {
    readonly end: SeedSummary;
    readonly invariant: string;
    readonly text: string;
  } | null;
  /** Of seeds before it: what others cried, first of all. */
  readonly others: ReadonlyMap<string, number>;
  /** Seeds that are red without the plant, too; they count for nothing. */
  readonly redAnyway: readonly number[];
  readonly tookMs: number;
  /** Not null: it ended otherwise than by a find or the end of the range. */
  readonly stopped: 'time' | 'crash' | null;
}

/** Runs until the plant is found, the range or the time is over. Never rejects for what a seed does. */
export async function hunt(trees: PlantedTrees, plant: Plant, range: HuntRange): Promise<Found> {
  const startedMs = performance.now();
  const seeds: SeedSummary[] = [];
  const others = new Map<string, number>();
  const redAnyway: number[] = [];
  let named: Found['named'] = null;
  const tree = trees.with(plant);
  const isEnough = async (end: SeedSummary): Promise<boolean> => {
    seeds.push(end);
    const hit = end.violations.find(({ invariant }) => plant.invariants.includes(invariant));
    for (const { invariant } of end.violations) {
      if (!others.has(invariant)) others.set(invariant, end.seed);
    }
    if (hit === undefined) return false;
    if (!(await isGreen(trees, end.seed, range.limitMs))) {
      redAnyway.push(end.seed);
      return false;
    }
    named = { end, invariant: hit.invariant, text: hit.text };
    return true;
  };
  const stopped = await runSeeds(tree, range, isEnough);
  const tookMs = performance.now() - startedMs;
  return { plant, seeds, named, others, redAnyway, tookMs, stopped };
}

async function isGreen(trees: PlantedTrees, seed: number, limitMs: number): Promise<boolean> {
  let isFree = false;
  await runSeeds(trees.base(), { first: seed, last: seed, limitMs }, (end) => {
    isFree = end.violations.length === 0;
    return Promise.resolve(true);
  });
  return isFree;
}

/** Ends with the range, when `isEnough` says so, or at the limit; answers why. */
async function runSeeds(
  tree: string,
  { first, last, limitMs }: HuntRange,
  isEnough: (end: SeedSummary) => Promise<boolean>,
): Promise<'time' | 'crash' | null> {
  const program = join(tree, 'test', 'simulation', 'plants', 'seeds-of-tree.js');
  const child = spawn(process.execPath, [program, String(first), String(last)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let isOver = false;
  let isLate = false;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, limitMs);
  for await (const line of createInterface({ input: child.stdout })) {
    isOver ||= await isEnough(JSON.parse(line) as SeedSummary);
    if (isOver) break;
  }
  child.kill('SIGKILL');
  const code = await ended;
  clearTimeout(timer);
  if (isOver) return null;
  if (isLate) return 'time';
  return code === 0 ? null : 'crash';
}
