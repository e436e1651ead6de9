/**
 * The calls that wait for a reply, under correlation ids `<incarnation>:<n>`. A reply settles at most
 * one call, once; everything else that arrives is dropped and counted: late (its call gave up),
 * double (its call was answered), foreign (of an earlier holder of the reply partition).
 *
 * Race (bug case A4): a gateway dies with calls in flight and another takes its slot; the replies
 * still to come reach the new one. [A] closes it: the incarnation differs. Test: "a reply to the
 * former holder of the slot settles none of our calls".
 */
import { createDeferred } from '../kernel/deferred.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { IncomingReply } from '../ports/reply-source.ts';
import type { Timers } from '../ports/timers.ts';

/** How a wait ended. `lost` means: the reply partition is no longer ours, no reply can come. */
export type CallEnd =
  | { readonly kind: 'reply'; readonly value: Uint8Array }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'notSent'; readonly cause: string };

/** One wait. `ended` never rejects. */
export interface PendingCall {
  readonly correlationId: string;
  readonly ended: Promise<CallEnd>;
  /** Ends the wait when it still lasts; the sender's news that nothing was sent. */
  end(end: CallEnd): void;
}

/** See the file header. Everything is O(1) per call. */
export interface PendingCalls {
  /** Begins a wait of at most `timeoutMs`; null when the table is full. */
  open(timeoutMs: number): PendingCall | null;
  onReply(reply: IncomingReply): void;
  /** Ends every wait as `lost`. */
  abandon(): void;
  readonly size: number;
}

/** Answered calls remembered, to tell a double reply from a late one. For the count only. */
const answeredKept = 1_024;

/** `incarnation` must be unique to this holder of the reply partition. */
export function createPendingCalls(options: {
  readonly incarnation: string;
  readonly callsMax: number;
  readonly timers: Timers;
  readonly metrics: Metrics;
}): PendingCalls {
  const { incarnation, callsMax, timers, metrics } = options;
  const prefix = `${incarnation}:`;
  const waiting = new Map<string, (end: CallEnd) => void>();
  const answered = new Set<string>();
  let opened = 0;

  const drop = (why: 'late' | 'double' | 'foreign'): void => {
    metrics.count('gateway_replies_dropped_total', { why });
  };

  return {
    get size() {
      return waiting.size;
    },
    open(timeoutMs) {
      if (waiting.size >= callsMax) return null;
      opened += 1;
      const correlationId = `${prefix}${opened}`;
      const deferred = createDeferred<CallEnd>();
      const end = (how: CallEnd): void => {
        if (!waiting.delete(correlationId)) return;
        cancelTimeout();
        deferred.resolve(how);
      };
      waiting.set(correlationId, end);
      const cancelTimeout = timers.after(timeoutMs, () => end({ kind: 'timeout' }));
      return { correlationId, ended: deferred.promise, end };
    },
    onReply({ correlationId, value }) {
      if (!correlationId.startsWith(prefix)) return drop('foreign'); // [A]
      const end = waiting.get(correlationId);
      if (end === undefined) return drop(answered.has(correlationId) ? 'double' : 'late');
      remember(answered, correlationId);
      end({ kind: 'reply', value });
    },
    abandon() {
      for (const end of [...waiting.values()]) end({ kind: 'lost' });
    },
  };
}

/** Keeps the newest; a Set hands out its oldest entry first. */
function remember(answered: Set<string>, correlationId: string): void {
  answered.add(correlationId);
  if (answered.size <= answeredKept) return;
  for (const oldest of answered) {
    answered.delete(oldest);
    return;
  }
}
