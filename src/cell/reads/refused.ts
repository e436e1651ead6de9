/** Failures by which a cell refuses reads and watches: kind and sentence follow from the reason. */
import { reasonRow, type Reason } from '../../domain/reasons.ts';
import { Failure, type FailureFacts } from '../../kernel/failure.ts';

/** Pause that a refused caller is asked to make: about what a takeover takes. */
const askAgainMs = 200;

/** `retry` with a pause when the caller may ask again, else `reject`. */
export function refused(reason: Reason, facts: FailureFacts = {}, cause?: unknown): Failure {
  const row = reasonRow(reason);
  const rest = row?.memory === 'free' ? { retryAfterMs: askAgainMs } : {};
  const kind = row?.memory === 'free' ? 'retry' : 'reject';
  return new Failure(kind, reason, row?.sentence ?? reason, { facts, cause, ...rest });
}
