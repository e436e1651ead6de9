/** The heap hands timers out in order, whatever order they came in and whatever was forgotten. */
import { describe, expect, it } from 'vitest';
import { TimerHeap } from '../../../../src/drivers/memory/timer-heap.ts';

/** Times that collide often, in no order. */
const timers = Array.from({ length: 500 }, (_, nth) => ({ dueMs: (nth * 7_919) % 61, nth }));
const inOrder = [...timers].sort((one, other) => one.dueMs - other.dueMs || one.nth - other.nth);

function drained(heap: TimerHeap<{ readonly dueMs: number; readonly nth: number }>) {
  const taken = [];
  for (let first = heap.first; first !== null; first = heap.first) {
    taken.push(first);
    heap.takeFirst();
  }
  return taken;
}

describe('the heap of timers', () => {
  it('gives the earliest first, and of equal ones the one that was set first', () => {
    const heap = new TimerHeap<(typeof timers)[number]>();
    for (const timer of timers) heap.add(timer);
    expect(heap.size).toBe(timers.length);
    expect(drained(heap)).toEqual(inOrder);
  });

  it('keeps its order when timers are forgotten in between', () => {
    const heap = new TimerHeap<(typeof timers)[number]>();
    const isKept = ({ nth }: { readonly nth: number }): boolean => nth % 3 === 0;
    for (const timer of timers) heap.add(timer);
    heap.keep(isKept);
    expect(drained(heap)).toEqual(inOrder.filter(isKept));
  });
});
