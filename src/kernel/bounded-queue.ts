/**
 * A first-in first-out queue that cannot grow past its capacity. Whoever pushes must say what happens
 * when it is full, because a queue without a limit only moves an overload into memory. The ring
 * starts small and doubles, so that many queues that stay nearly empty cost little.
 */
import { assert } from './assert.ts';

const initialSlots = 8;

/** See the file header. Not safe to share between threads; one event loop is fine. */
export class BoundedQueue<T> {
  /** The most elements the queue ever holds. */
  readonly capacity: number;
  private ring: (T | undefined)[];
  private head = 0;
  private count = 0;

  /** `capacity` is an integer of at least 1. Nothing near it is allocated up front. */
  constructor(capacity: number) {
    assert(
      Number.isSafeInteger(capacity) && capacity >= 1,
      'a queue needs a capacity of 1 or more',
      {
        capacity,
      },
    );
    this.capacity = capacity;
    this.ring = new Array<T | undefined>(Math.min(initialSlots, capacity)).fill(undefined);
  }

  /** Elements waiting now. */
  get size(): number {
    return this.count;
  }

  /** Appends `element` and returns true, or returns false and changes nothing when full. */
  push(element: T): boolean {
    if (this.count === this.capacity) return false;
    if (this.count === this.ring.length) this.grow();
    this.ring[(this.head + this.count) % this.ring.length] = element;
    this.count += 1;
    return true;
  }

  /** The oldest element, left in place; undefined when empty. */
  peek(): T | undefined {
    return this.ring[this.head];
  }

  /** Takes the oldest element out; undefined when empty. */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const element = this.ring[this.head];
    // The slot is cleared so that the queue never keeps alive what it has handed out.
    this.ring[this.head] = undefined;
    this.head = (this.head + 1) % this.ring.length;
    this.count -= 1;
    return element;
  }

  /** Takes everything out, oldest first. What is pushed while the caller works stays in. */
  drain(): T[] {
    const drained: T[] = [];
    for (let left = this.count; left > 0; left -= 1) drained.push(this.shift() as T);
    return drained;
  }

  private grow(): void {
    const slots = Math.min(this.ring.length * 2, this.capacity);
    const grown = new Array<T | undefined>(slots).fill(undefined);
    for (let i = 0; i < this.count; i += 1) {
      grown[i] = this.ring[(this.head + i) % this.ring.length];
    }
    this.ring = grown;
    this.head = 0;
  }
}
