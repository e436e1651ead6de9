/** A stream of another node, listened to with limited patience. */
import { createDeferred } from '../kernel/deferred.ts';
import type { Timers } from '../ports/timers.ts';
import { refusal } from './refusals.ts';

/** How a stream is listened to. */
export interface Listening {
  readonly timers: Timers;
  /** Longest pause between two messages. */
  readonly silentMs: number;
  /** Aborts when nobody listens any more. */
  readonly stop: AbortSignal;
}

/**
 * The messages of the stream that `open` opens, until `stop`. Throws what the stream throws, and
 * UNAVAILABLE when it is silent for too long: its node is frozen, or the way to it is cut, and no
 * connection says so. The signal given to `open` aborts when the stream is left, whatever the reason.
 */
export async function* heardStream<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  { timers, silentMs, stop }: Listening,
): AsyncGenerator<T> {
  const left = new AbortController();
  const iterator = open(left.signal)[Symbol.asyncIterator]();
  const stopped = createDeferred<'stopped'>();
  const onStop = (): void => void stopped.resolve('stopped');
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  try {
    for (;;) {
      const silent = createDeferred<'silent'>();
      const cancel = timers.after(silentMs, () => void silent.resolve('silent'));
      const next = await Promise.race([iterator.next(), silent.promise, stopped.promise]).finally(
        cancel,
      );
      if (next === 'stopped') return;
      if (next === 'silent') throw refusal('UNAVAILABLE', {}, { cause: 'the node is silent' });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    stop.removeEventListener('abort', onStop);
    left.abort();
    // Not waited for: a frozen node ends nothing. What it still says reaches nobody.
    iterator.return?.().catch(() => undefined);
  }
}
