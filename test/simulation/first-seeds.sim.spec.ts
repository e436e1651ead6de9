/** One half of the seeds of `npm test`; the other half runs beside it. */
import { describeSeeds } from './seeds.ts';

describeSeeds(1, 250);
