/** What the room's owner says before a call outside, or what becomes of the event without it. */
import { Failure } from '../kernel/failure.ts';
import type { SendOutcome } from '../ports/im-client.ts';

/** Pause while nobody can say what holds in the room. */
const ownerPauseMs = 1_000;

/** A word, or why there is none. */
export type OwnerWord<Word> =
  | { readonly kind: 'word'; readonly word: Word }
  | Extract<SendOutcome, { readonly kind: 'retryable' | 'throttled' }>;

/**
 * The answer to `asking`. An owner that cannot be asked is no fault of the event and no try; a room
 * that is broken may never be asked again, and counts.
 */
export async function ownerWord<Word>(asking: () => Promise<Word>): Promise<OwnerWord<Word>> {
  try {
    return { kind: 'word', word: await asking() };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const error = `the guard cannot be asked: ${thrown.reason}`;
    const isBroken = thrown.reason === 'ROOM_CORRUPT';
    return isBroken || thrown.kind !== 'retry'
      ? { kind: 'retryable', error }
      : { kind: 'throttled', error, retryAfterMs: ownerPauseMs };
  }
}
