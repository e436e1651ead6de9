/** The other half of the seeds of `npm test`. */
import { describeSeeds } from './seeds.ts';

describeSeeds(251, 500);
