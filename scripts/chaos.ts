/**
 * `npm run chaos`: real processes on real servers, with faults dealt from a seed and judged by the
 * checkers of the simulation.
 *
 *   npm run chaos -- --cycles 20 [--seed 7]   so many faults, one behind the other
 *   npm run chaos -- --cycles 20 --out DIR    keeps the logs, also of a run in which all was well
 *   npm run chaos -- --cycles 20 --plant 3    with a planted bug in cells, gateways and relays
 *
 * Ends with one line of sums. Exit code 1: a promise was broken, or a count stayed under its floor;
 * 2: the machine lacks what the servers need.
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from '../test/chaos/run/run-chaos.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { StackUnavailableError } from './stack/stack-types.ts';

const usage =
  'usage: npm run chaos -- --cycles N [--seed N] [--out DIR] [--acked N] [--troupes N] [--plant N]';
const say = (line: string): void => console.log(line);
const ending = endingSignal();

// Ended here and not by an empty event loop: callers of a run that broke ask a deployment that is gone, for
// ever and as fast as they can.
process.exit(await main());

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
      acked: { type: 'string', default: '200' },
      troupes: { type: 'string', default: '8' },
      plant: { type: 'string' },
      program: { type: 'string' },
    },
  });
  const numbers = [values.cycles, values.seed, values.acked, values.troupes].map(Number);
  const [cycles = 0, seed = 0, ackedBetween = 0, troupes = 0] = numbers;
  if (numbers.some((number) => !Number.isSafeInteger(number) || number < 1)) {
    console.error(usage);
    return 2;
  }
  const options = { cycles, seed, ackedBetween, troupes, out: values.out ?? null };
  try {
    if (values.plant !== undefined) return await withPlant(Number(values.plant), options);
    const programRoot = values.program ?? null;
    return await runChaos({ ...options, programRoot }, say, ending);
  } catch (error) {
    if (!(error instanceof StackUnavailableError)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}

/** Loaded only when it is asked for: it stands on packages that only development has. */
async function withPlant(
  number: number,
  options: Omit<Parameters<typeof runChaos>[0], 'programRoot'>,
): Promise<number> {
  const { PlantedTrees } = await import('../test/simulation/plants/planted-tree.ts');
  const { plants } = await import('../test/planted/plants.ts');
  const plant = plants.find((each) => each.number === number);
  if (plant === undefined) throw new RangeError(`there is no plant ${number}`);
  const trees = new PlantedTrees();
  try {
    const programRoot = trees.with(plant);
    // Pods are started as from a compiled project; a copy lies compiled where its sources are.
    symlinkSync(programRoot, join(programRoot, 'dist'), 'dir');
    return await runChaos({ ...options, programRoot }, say, ending);
  } finally {
    trees.remove();
  }
}
