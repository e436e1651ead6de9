/**
 * `node scripts/bootstrap.mjs check-requirements`: whether docs/requirements.md is true of the tree,
 * as far as can be seen without running a test. The other half is the last step of `npm test`.
 */
import { requirementFaults } from './requirements/project-pages.ts';

const faults = requirementFaults();
for (const fault of faults) console.error(`docs/requirements.md: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
