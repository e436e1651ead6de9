/** How long a call may take, and what happens when its caller hangs up. */
import type { CallFrame } from '../ports/room-api.ts';
import { refusal } from './refusals.ts';

/** Milliseconds the call may take: the caller's deadline or the default, cut to the maximum. */
export function allowedMs(
  frame: Pick<CallFrame, 'remainingMs'>,
  limits: { readonly defaultDeadlineMs: number; readonly maxDeadlineMs: number },
): number {
  return Math.min(frame.remainingMs ?? limits.defaultDeadlineMs, limits.maxDeadlineMs);
}

/**
 * The value, or OUTCOME_UNKNOWN as soon as the caller is gone. The work itself goes on: what was
 * produced cannot be called back. The answer reaches nobody; it only ends the call.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Nobody waits for the work any more; its failure is this call's, told below.
    work.catch(() => undefined);
    throw callerGone();
  }
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(callerGone());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function callerGone(): Error {
  return refusal('OUTCOME_UNKNOWN', { produced: 'unknown' }, { cause: 'the caller hung up' });
}
