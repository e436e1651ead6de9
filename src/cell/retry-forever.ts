/**
 * Outages are waited out, never given up on and never turned into an answer: as long as the work is
 * still ours, a Retry failure is followed by another try after a growing, jittered pause.
 */
import { backoffMs, type BackoffLimits } from '../kernel/backoff.ts';
import { Failure } from '../kernel/failure.ts';
import type { CellContext } from './cell-context.ts';

const pauseLimits: BackoffLimits = { initialMs: 50, maxMs: 1_000 };

/** Pause before try number `tries` + 1 (from 1), with jitter, so that nodes do not move in step. */
export function retryPauseMs(context: Pick<CellContext, 'random'>, tries: number): number {
  return backoffMs(pauseLimits, tries, context.random.fraction('retry pause'));
}

/**
 * The result of `run`, tried until it succeeds. Null when `stillWanted` turned false meanwhile.
 * Anything but a Retry failure is passed on. An outage is said once when it begins, once when it ends.
 */
export async function retryForever<T>(
  context: Pick<CellContext, 'timers' | 'random' | 'log' | 'metrics' | 'onOutage'>,
  what: string,
  stillWanted: () => boolean,
  run: () => Promise<T>,
): Promise<T | null> {
  let tries = 0;
  try {
    while (stillWanted()) {
      try {
        const result = await run();
        if (tries > 0) context.log.info({ what, tries }, 'the outage is over');
        return result;
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
        tries += 1;
        context.metrics.count('cell_retries_total', { what });
        if (tries === 1) {
          context.log.warn({ what, error: error.message }, 'waiting for an outage');
          context.onOutage?.(what, true);
        }
        await context.timers.sleep(retryPauseMs(context, tries));
      }
    }
    return null;
  } finally {
    if (tries > 0) context.onOutage?.(what, false);
  }
}
