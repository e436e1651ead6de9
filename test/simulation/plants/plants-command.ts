/** What `npm run sim` does about plants: looks for one, or for each of them and writes the page. */
import { availableParallelism } from 'node:os';
import { rewriteTable } from '../../../scripts/rewrite-table.ts';
import { plants, type Plant } from '../../planted/plants.ts';
import { lastLineOf } from '../batch/batch.ts';
import { addCounts } from '../run/sometimes.ts';
import { hunt, type Found, type HuntRange } from './hunt.ts';
import { PlantedTrees } from './planted-tree.ts';

const page = 'docs/planted-bugs.md';

/** Seeds and time for a plant about which nothing else is said. */
export const usualRange: HuntRange = { first: 1, last: 5_000, limitMs: 300_000 };

/**
 * Looks for one plant and tells what came of it. The exit code is that of a run of seeds: 1 when it
 * was found, 0 when all was green, 2 when there is no such plant.
 */
export async function plantCommand(
  number: number,
  range: HuntRange,
  say: (line: string) => void,
): Promise<number> {
  const plant = plants.find((each) => each.number === number);
  if (plant === undefined) {
    say(`there is no plant ${number}; test/planted/plants.ts names them all`);
    return 2;
  }
  const trees = new PlantedTrees();
  try {
    const found = await hunt(trees, plant, range);
    say(sentenceOf(found));
    say(lastLineOf(sumsOf(found)));
    return found.named === null ? 0 : 1;
  } finally {
    trees.remove();
  }
}

/** Looks for each plant and writes the page. Exit code 1 when one was not found. */
export async function plantsCommand(
  range: HuntRange,
  say: (line: string) => void,
): Promise<number> {
  const missed = await huntAll(range, say);
  for (const { number, name } of missed) say(`not found: plant ${number}, ${name} (INV-39)`);
  say(`${plants.length - missed.length} of ${plants.length} plants were found`);
  return missed.length === 0 ? 0 : 1;
}

/** Looks for every plant, several at a time, and writes the page. Answers those that were not found. */
async function huntAll(range: HuntRange, say: (line: string) => void): Promise<readonly Plant[]> {
  const trees = new PlantedTrees();
  const found: Found[] = [];
  try {
    trees.base();
    const waiting = plants.values();
    const worker = async (): Promise<void> => {
      for (const plant of waiting) {
        const one = await hunt(trees, plant, range);
        found.push(one);
        say(sentenceOf(one));
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
  } finally {
    trees.remove();
  }
  await writeTable(found.sort((one, other) => one.plant.number - other.plant.number));
  return found.filter(({ named }) => named === null).map(({ plant }) => plant);
}

/** How a hunt ended, as one line for people. */
function sentenceOf({ plant, seeds, named, others, redAnyway, stopped }: Found): string {
  const what = `plant ${plant.number}, ${plant.name}`;
  const anyway = redAnyway.length === 0 ? '' : ` (${redAnyway.length} were red without it, too)`;
  if (named !== null) {
    const { invariant, text, end } = named;
    return `${what}: ${invariant} after ${seeds.length} seeds${anyway}, at seed ${end.seed}: ${text}`;
  }
  const cried = [...others].map(([invariant, seed]) => `${invariant} at seed ${seed}`).join(', ');
  const instead = cried === '' ? 'nobody cried' : `others cried: ${cried}`;
  const why =
    stopped === null ? '' : ` before the ${stopped === 'time' ? 'time was over' : 'crash'}`;
  const wanted = plant.invariants.join(' or ');
  return `${what}: no ${wanted} in ${seeds.length} seeds${why}${anyway}; ${instead}`;
}

function sumsOf({ seeds }: Found): Parameters<typeof lastLineOf>[0] {
  const counts = new Map<string, number>();
  for (const seed of seeds) addCounts(counts, seed.counts);
  const acked = seeds.reduce((sum, seed) => sum + seed.acked, 0);
  const violations = seeds.reduce((sum, seed) => sum + seed.violations.length, 0);
  return { seeds: seeds.length, acked, violations, counts };
}

/** Replaces the table that ends the page. */
async function writeTable(found: readonly Found[]): Promise<void> {
  const rows = found.map(({ plant, named, seeds }) => {
    const by = named === null ? 'not found' : named.invariant;
    const link = `[${plant.name}](../test/planted/${plant.patch})`;
    return `| ${plant.number} | ${link} | ${plant.invariants.join(', ')} | ${by} | ${seeds.length} |`;
  });
  const head = '| # | Plant | Must cry | Cried | Seeds |\n|---|---|---|---|---|\n';
  await rewriteTable(page, `${head}${rows.join('\n')}`);
}
