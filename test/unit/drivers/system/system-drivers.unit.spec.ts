/** The machine's clock, timers and chance keep the contracts of their ports. */
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemRandom } from '../../../../src/drivers/system/system-random.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import { clockContract } from '../../../contract/suites/clock-contract.ts';
import { randomContract } from '../../../contract/suites/random-contract.ts';
import { timersContract } from '../../../contract/suites/timers-contract.ts';

const fixture = () => {
  const timers = createSystemTimers();
  return { clock: createSystemClock(), timers, pass: (ms: number) => timers.sleep(ms) };
};
clockContract('the machine', fixture);
timersContract('the machine', fixture);
randomContract('the machine', createSystemRandom);
