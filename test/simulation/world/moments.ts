/** Moments of aimed faults, counted, so that clients can wait for one: a fault needs their traffic. */
import { createDeferred, type Deferred } from '../../../src/kernel/deferred.ts';

/** See the file header. */
export class Moments {
  private count = 0;
  private readonly waiting = new Map<number, Deferred<void>>();

  /** One more has come. */
  come(): void {
    this.count += 1;
    this.waiting.get(this.count)?.resolve();
    this.waiting.delete(this.count);
  }

  /** Resolves when so many have come. */
  nth(nth: number): Promise<void> {
    if (nth <= this.count) return Promise.resolve();
    const known = this.waiting.get(nth) ?? createDeferred<void>();
    this.waiting.set(nth, known);
    return known.promise;
  }
}
