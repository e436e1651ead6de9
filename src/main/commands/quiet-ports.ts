/** Log and metrics of one-time commands: their result is what they print. */
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';

const nothing = (): void => undefined;

/** Drops every line: failures reach the person as the command's own fault. */
export const quietLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => quietLog,
};

/** Counts nothing. */
export const quietMetrics: Metrics = { count: nothing, gauge: nothing, observeMs: nothing };
