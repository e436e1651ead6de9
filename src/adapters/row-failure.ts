/** What a row that was not delivered comes to: whether it is a try, whether for good, and when again. */
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../ports/clock.ts';
import type { SendOutcome } from '../ports/im-client.ts';
import type { RunFinish, StartedRow } from '../ports/outbox-store.ts';
import type { SendContext } from './send-context.ts';

/** The failing row's part of a run's finish. */
export type RowFailure = Pick<
  Extract<RunFinish, { kind: 'failed' }>,
  'error' | 'permanent' | 'countsAsTry' | 'nextRetryAtMs'
>;

/** What follows from the destination's answer. */
export function failureOf(
  context: SendContext,
  row: StartedRow,
  outcome: Exclude<SendOutcome, { kind: 'done' }>,
): RowFailure {
  const { outage, clock, random } = context;
  if (outcome.kind === 'permanent') return permanent(outcome.error, clock);
  if (outcome.kind === 'throttled') {
    // Jitter upwards only: the destination asked for at least this long.
    const share = 1 + random.fraction('throttled event') / 2;
    const nextRetryAtMs = clock.wallMs() + Math.ceil(outcome.retryAfterMs * share);
    return { error: outcome.error, permanent: false, countsAsTry: false, nextRetryAtMs };
  }
  const error = outcome.kind === 'unknown' ? `no answer: ${outcome.cause}` : outcome.error;
  const restMs = outcome.kind === 'retryable' ? outcome.restMs : undefined;
  return laterTry(context, row, error, !outage.isOutage, restMs);
}

/** It may pass: again, later with each failure. */
export function laterTry(
  { clock, random, options }: SendContext,
  row: StartedRow,
  error: string,
  countsAsTry: boolean,
  restMs = 0,
): RowFailure {
  const fraction = random.fraction('retry of an event');
  const pauseMs = backoffMs(options.backoff, row.retryCount + 1, fraction);
  const nextRetryAtMs = clock.wallMs() + Math.max(pauseMs, restMs);
  return { error, permanent: false, countsAsTry, nextRetryAtMs };
}

/** Never: it is set aside for an operator. */
export function permanent(error: string, clock: Clock): RowFailure {
  return { error, permanent: true, countsAsTry: true, nextRetryAtMs: clock.wallMs() };
}

/** It was not sent, and is nobody's fault. */
export function outOfTime(clock: Clock): RowFailure {
  const error = 'not sent: the time of its claim was over';
  return { error, permanent: false, countsAsTry: false, nextRetryAtMs: clock.wallMs() };
}
