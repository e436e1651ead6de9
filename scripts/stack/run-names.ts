/**
 * Names that belong to one run, so that two runs on the same servers never meet.
 */
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 5;

/** Database and Redis key prefix of one run. */
export interface RunNames {
  readonly database: string;
  readonly keyPrefix: string;
}

/** Fresh names: `roomcell_<random>` and `rc<random>:`. */
export function newRunNames(): RunNames {
  const random = randomBytes(RANDOM_BYTES).toString('hex');
  return { database: `roomcell_${random}`, keyPrefix: `rc${random}:` };
}
