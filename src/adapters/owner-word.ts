/** What the room's owner says before a call outside, or what becomes of the event without it. */
import { Failure } from '../kernel/failure.ts';
import type { SendOutcome } from '../ports/im-client.ts';
import type { ReadCall } from '../ports/owner-reads.ts';

/** Pause while nobody can say what holds in the room. */
const ownerPauseMs = 1_000;

/** Nobody hangs up on an adapter. */
const never = new AbortController().signal;
const asker = { role: 'service', userId: null } as const;

/** How an adapter asks: within which time, and in whose name. */
export interface OwnerCall {
  readonly call: ReadCall;
  readonly asker: typeof asker;
}

/** A word, or why there is none. */
export type OwnerWord<Word> =
  | { readonly kind: 'word'; readonly word: Word }
  | Extract<SendOutcome, { readonly kind: 'retryable' | 'throttled' }>;

/**
 * The answer to `ask`, which is asked for so long. An owner that cannot be asked is no fault of the event and no try; a room
 * that is broken may never be asked again, and counts.
 */
export async function ownerWord<Word>(
  withinMs: number,
  ask: (by: OwnerCall) => Promise<Word>,
): Promise<OwnerWord<Word>> {
  try {
    return { kind: 'word', word: await ask({ call: { withinMs, signal: never }, asker }) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const error = `the guard cannot be asked: ${thrown.reason}`;
    const isBroken = thrown.reason === 'ROOM_CORRUPT';
    return isBroken || thrown.kind !== 'retry'
      ? { kind: 'retryable', error }
      : { kind: 'throttled', error, retryAfterMs: ownerPauseMs };
  }
}
