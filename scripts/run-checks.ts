/** `npm run checks`: see checks.ts. */
import { runChecks } from './checks.ts';

const failed = await runChecks();
console.log(failed.length === 0 ? 'checks: all passed' : `checks: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
