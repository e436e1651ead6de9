/**
 * Failures of the catalogue: the sentence and the kind follow from the reason, so that no place makes
 * up its own.
 */
import { Failure } from '../kernel/failure.ts';
import type { FailureFacts } from '../kernel/failure.ts';
import { reasonRow } from './reasons.ts';
import type { Reason } from './reasons.ts';

/**
 * A failure with this reason: `retry` when the id stays free, else `reject`. Also takes a code of a
 * newer release, which a cell may send before this process is upgraded: it is passed on as it is.
 */
export function refusal(
  reason: Reason | (string & {}),
  facts: FailureFacts = {},
  options: { retryAfterMs?: number; cause?: unknown } = {},
): Failure {
  const row = reasonRow(reason);
  const kind = row?.memory === 'free' ? 'retry' : 'reject';
  return new Failure(kind, reason, row?.sentence ?? `The room refused: ${reason}.`, {
    facts,
    ...options,
  });
}
