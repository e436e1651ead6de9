/**
 * Short constructors for the four ends of a decision, so that a command's file reads as its rules.
 */
import type { RejectReason, RetryReason } from '../reasons.ts';
import type { Applied, NoEffect, Rejected, ResultFields, RetryLater } from './decision.ts';
import type { RoomEvent } from './events.ts';

/** The command changed the room. At least one event; the dispatch asserts it. */
export function applied(events: readonly RoomEvent[], result: ResultFields = {}): Applied {
  return { kind: 'applied', events, result, forceSnapshot: false };
}

/** The same for rare changes that must not wait for the next snapshot (META-4). */
export function appliedWithSnapshot(events: readonly RoomEvent[]): Applied {
  return { kind: 'applied', events, result: {}, forceSnapshot: true };
}

/** Success that changes nothing. */
export function noEffect(result: ResultFields = {}): NoEffect {
  return { kind: 'noEffect', result };
}

/** A final no; `facts` name what stood in the way and hold nothing secret. */
export function rejected(
  reason: RejectReason,
  facts: Readonly<Record<string, string>> = {},
): Rejected {
  return { kind: 'rejected', reason, facts, followUp: null };
}

/** Not now: nothing is stored, and the same id may be sent again after the pause. */
export function retryLater(reason: RetryReason, retryAfterMs: number): RetryLater {
  return { kind: 'retry', reason, facts: {}, retryAfterMs };
}

/** A fact that the caller attached is about an older room: fetch it anew and send the id again. */
export function factStale(facts: Readonly<Record<string, string>>): RetryLater {
  // No delay: the fact is stale now and will not get better by waiting.
  return { kind: 'retry', reason: 'FACT_STALE', facts, retryAfterMs: 0 };
}
