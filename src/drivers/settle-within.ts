/**
 * A bound on every wait for somebody else's library: whatever it does, the caller goes on in time.
 * The work itself is not stopped; a late end of it is nobody's business any more.
 */
import type { Timers } from '../ports/timers.ts';

/** How a bounded wait ended. */
export type Settled<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timeout' };

/** Never rejects; resolves at most `limitMs` from now (and a turn of the event loop). */
export function settleWithin<T>(
  timers: Timers,
  work: Promise<T>,
  limitMs: number,
): Promise<Settled<T>> {
  return new Promise((resolve) => {
    const cancel = timers.after(limitMs, () => resolve({ kind: 'timeout' }));
    const end = (settled: Settled<T>): void => {
      cancel();
      resolve(settled);
    };
    work.then(
      (value) => end({ kind: 'done', value }),
      (error: unknown) => end({ kind: 'failed', error }),
    );
  });
}
