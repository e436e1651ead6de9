/** Failures by which a cell refuses reads and watches. */
import { reasonRow, type Reason } from '../../domain/reasons.ts';
import { refusal } from '../../domain/refusal.ts';
import type { Failure, FailureFacts } from '../../kernel/failure.ts';

/** Pause that a refused caller is asked to make: about what a takeover takes. */
const askAgainMs = 200;

/** With a pause when the caller may ask again. */
export function refused(reason: Reason, facts: FailureFacts = {}, cause?: unknown): Failure {
  const rest = reasonRow(reason)?.memory === 'free' ? { retryAfterMs: askAgainMs } : {};
  return refusal(reason, facts, { cause, ...rest });
}
