/** The ports through which every driver of a server speaks, counts, waits and tells the time. */
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Timers } from '../ports/timers.ts';

/** See the file header. */
export interface DriverPorts {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly timers: Timers;
}
