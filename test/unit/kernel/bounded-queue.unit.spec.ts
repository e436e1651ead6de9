/** The bounded queue against an array. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedQueue } from '../../../src/kernel/bounded-queue.ts';
import { InvariantError } from '../../../src/kernel/assert.ts';

describe('BoundedQueue', () => {
  it('answers as an array does that is never let past its capacity', () => {
    // Pushes outweigh, so that the ring grows while its head is somewhere in the middle.
    const anyOp = fc.oneof(
      { weight: 30, arbitrary: fc.constant('push') },
      { weight: 12, arbitrary: fc.constant('shift') },
      { weight: 3, arbitrary: fc.constant('peek') },
      { weight: 1, arbitrary: fc.constant('drain') },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(anyOp, { minLength: 20, maxLength: 200 }),
        (capacity, ops) => {
          const queue = new BoundedQueue<number>(capacity);
          const model: number[] = [];
          for (const [n, op] of ops.entries()) {
            if (op === 'push') {
              expect(queue.push(n)).toBe(model.length < capacity);
              if (model.length < capacity) model.push(n);
            }
            if (op === 'shift') expect(queue.shift()).toBe(model.shift());
            if (op === 'peek') expect(queue.peek()).toBe(model[0]);
            if (op === 'drain') expect(queue.drain()).toEqual(model.splice(0));
            expect(queue.size).toBe(model.length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('refuses when full, keeps what it holds, and takes again after a shift', () => {
    const queue = new BoundedQueue<string>(2);
    expect([queue.push('a'), queue.push('b'), queue.push('c')]).toEqual([true, true, false]);
    expect(queue.shift()).toBe('a');
    expect(queue.push('d')).toBe(true);
    expect(queue.drain()).toEqual(['b', 'd']);
  });

  it('takes an undefined element for an element', () => {
    const queue = new BoundedQueue<undefined>(2);
    queue.push(undefined);
    expect(queue.size).toBe(1);
    expect(queue.drain()).toEqual([undefined]);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'cannot be made with capacity %s, so that no queue is without a limit',
    (capacity) => {
      expect(() => new BoundedQueue(capacity)).toThrow(InvariantError);
    },
  );
});
