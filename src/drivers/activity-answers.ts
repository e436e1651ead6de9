/** The contract of `activity.proto`, read from the caller's side: what an answer means for the events. */
import { unknownOutcome } from '../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';
import type { BatchOutcome } from '../ports/activity-client.ts';
import type { SendOutcome } from '../ports/im-client.ts';

/** A gRPC status, by its name, as it came for a call or for one event of a batch. */
export interface AnsweredStatus {
  readonly status: string;
  readonly message: string;
  /** Null: the receiver named no pause. */
  readonly retryAfterMs: number | null;
}

/** How a call with a batch ended on the wire. */
export type BatchEnd =
  | {
      readonly kind: 'answered';
      readonly taken: number;
      /** Of the event behind those taken; null: no reason was given. */
      readonly notTaken: AnsweredStatus | null;
    }
  /** The call as a whole: it says nothing of any event. */
  | ({ readonly kind: 'failed' } & AnsweredStatus)
  | UnknownOutcome;

/** Statuses that the contract gives the meaning "never". */
const neverStatuses: readonly string[] = [
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
];
/** Ends that say nothing about what the other side did. */
const unknownStatuses: readonly string[] = ['DEADLINE_EXCEEDED', 'CANCELLED', 'UNAVAILABLE'];
const throttlePauseMs = 1_000;

/** What a status says of the event that it was answered for. */
export function outcomeOfStatus({ status, message, retryAfterMs }: AnsweredStatus): SendOutcome {
  const error = `${status} ${message}`.trim();
  if (status === 'ALREADY_EXISTS') return { kind: 'done' };
  if (neverStatuses.includes(status)) return { kind: 'permanent', error };
  if (status === 'RESOURCE_EXHAUSTED') {
    return { kind: 'throttled', error, retryAfterMs: retryAfterMs ?? throttlePauseMs };
  }
  if (unknownStatuses.includes(status)) return { kind: 'unknown', cause: error };
  return { kind: 'retryable', error };
}

/**
 * True when the call failed with what can only be said of one event, or of the batch's size: asking
 * for the first alone tells which. Some servers answer RESOURCE_EXHAUSTED, without a pause, to a
 * message that is too long for them; waited for as a throttle, it would never end.
 */
export function wantsSingle({ status, retryAfterMs }: AnsweredStatus): boolean {
  if (status === 'RESOURCE_EXHAUSTED') return retryAfterMs === null;
  return [...neverStatuses, 'ALREADY_EXISTS', 'UNIMPLEMENTED'].includes(status);
}

/** What became of `sent` events. An answer that contradicts itself is none: nothing is known. */
export function outcomeOfBatch(end: BatchEnd, sent: number): BatchOutcome {
  if (end.kind === 'unknown') return { sent, taken: 0, next: end };
  if (end.kind === 'failed') return nextOf(sent, 0, outcomeOfStatus(end));
  const { taken, notTaken } = end;
  const isWhole = taken === sent;
  if (taken < 0 || taken > sent || isWhole !== (notTaken === null) || notTaken?.status === 'OK') {
    const reason = notTaken === null ? 'no reason' : notTaken.status;
    const cause = `its answer makes no sense: ${taken} of ${sent} taken, and then ${reason}`;
    return { sent, taken: 0, next: unknownOutcome(cause) };
  }
  if (notTaken === null) return { sent, taken, next: null };
  return nextOf(sent, taken, outcomeOfStatus(notTaken));
}

/** One event that was sent alone. */
export function outcomeOfSingle(outcome: SendOutcome): BatchOutcome {
  return nextOf(1, 0, outcome);
}

/** A next one that turns out to be there already was taken as well: the call went as far as it. */
function nextOf(sent: number, taken: number, outcome: SendOutcome): BatchOutcome {
  if (outcome.kind !== 'done') return { sent, taken, next: outcome };
  return { sent: taken + 1, taken: taken + 1, next: null };
}
