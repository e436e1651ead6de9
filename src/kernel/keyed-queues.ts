/**
 * First-in first-out queues, one per key, bounded each and together. What is full gives up its oldest:
 * for contents of which the newest is worth most. Keys take turns, so that a busy one takes no place of
 * another; a key with nothing waiting costs nothing.
 */
import { BoundedQueue } from './bounded-queue.ts';

/** What a push cost: nothing, the key's oldest, or the oldest of the key that has waited longest. */
export type PushCost = 'nothing' | 'oldest_of_key' | 'oldest_of_all';

/** See the file header. */
export class KeyedQueues<Key, T> {
  private readonly perKeyMax: number;
  private readonly totalMax: number;
  /** Keys with something waiting; the one whose turn is next stands first. */
  private readonly queues = new Map<Key, BoundedQueue<T>>();
  private count = 0;

  /** Both limits are integers of at least 1. */
  constructor(limits: { readonly perKeyMax: number; readonly totalMax: number }) {
    this.perKeyMax = limits.perKeyMax;
    this.totalMax = limits.totalMax;
  }

  /** Elements waiting now, of all keys. */
  get size(): number {
    return this.count;
  }

  /** Appends to the key's queue; never refuses. */
  push(key: Key, element: T): PushCost {
    const full = this.queues.get(key);
    if (full !== undefined && full.size >= this.perKeyMax) {
      full.shift();
      full.push(element);
      return 'oldest_of_key';
    }
    const cost = this.count >= this.totalMax ? this.shedOldest() : 'nothing';
    const queue = this.queues.get(key) ?? new BoundedQueue<T>(this.perKeyMax);
    this.queues.set(key, queue);
    queue.push(element);
    this.count += 1;
    return cost;
  }

  /** All that waits of the key whose turn it is, oldest first; undefined when no key may be taken. */
  take(mayTake: (key: Key) => boolean = () => true): { key: Key; elements: T[] } | undefined {
    for (const [key, queue] of this.queues) {
      if (!mayTake(key)) continue;
      this.queues.delete(key);
      const elements = queue.drain();
      this.count -= elements.length;
      return { key, elements };
    }
    return undefined;
  }

  /** Forgets what waits of the keys that it says; answers how many elements that were. */
  drop(isOf: (key: Key) => boolean): number {
    const before = this.count;
    for (const [key, queue] of this.queues) {
      if (!isOf(key)) continue;
      this.queues.delete(key);
      this.count -= queue.size;
    }
    return before - this.count;
  }

  private shedOldest(): PushCost {
    const [longest] = this.queues;
    if (longest === undefined) return 'nothing';
    const [key, queue] = longest;
    queue.shift();
    this.count -= 1;
    if (queue.size === 0) this.queues.delete(key);
    return 'oldest_of_all';
  }
}
