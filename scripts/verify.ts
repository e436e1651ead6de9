/**
 * `npm run verify`: what a change must pass before it is shown to others. Format, lint and types,
 * then the unit and contract suites and a short simulation; the slower suites are `npm test`.
 */
import { join } from 'node:path';
import { runChecks, runNode } from './checks.ts';

const failed = await runChecks();
console.log('== unit and contract suites');
const runTests = join('dist', 'scripts', 'run-tests.js');
const code = await runNode([runTests, '--project', 'unit', '--project', 'contract']);
if (code !== 0) failed.push('tests');
console.log('== short simulation');
const shortSimulation = [join('dist', 'scripts', 'sim.js'), '--seeds', '1..60'];
if ((await runNode(shortSimulation)) !== 0) failed.push('simulation');
console.log(failed.length === 0 ? 'verify: all passed' : `verify: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
