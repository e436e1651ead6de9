/**
 * The program that runs within a copy of the tree: `<from> <to>`. One seed after another, one line
 * of JSON each on stdout; whoever started it stops it when it has seen enough.
 */
import { writeSync } from 'node:fs';
import { runSeed } from '../batch/seed-summary.ts';

const [from = 1, to = from] = process.argv.slice(2).map(Number);
for (let seed = from; seed <= to; seed += 1) {
  writeSync(1, `${JSON.stringify(await runSeed(seed))}\n`);
}
process.exit(0);
