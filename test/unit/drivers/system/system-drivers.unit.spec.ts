/** The machine's clock, timers and chance, and the trace, keep the contracts of their ports. */
import { MemoryMetrics } from '../../../../src/drivers/memory/memory-metrics.ts';
import { createCountingTrace } from '../../../../src/drivers/system/counting-trace.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemRandom } from '../../../../src/drivers/system/system-random.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import { clockContract } from '../../../contract/suites/clock-contract.ts';
import { randomContract } from '../../../contract/suites/random-contract.ts';
import { timersContract } from '../../../contract/suites/timers-contract.ts';
import { traceContract } from '../../../contract/suites/trace-contract.ts';

const fixture = () => {
  const timers = createSystemTimers();
  return { clock: createSystemClock(), timers, pass: (ms: number) => timers.sleep(ms) };
};
clockContract('the machine', fixture);
timersContract('the machine', fixture);
randomContract('the machine', createSystemRandom);

traceContract('counting', () => {
  const metrics = new MemoryMetrics();
  const passed = (point: string) => metrics.sumOf('roomcell_trace_points_total', { point });
  return { trace: createCountingTrace(metrics), passed };
});
