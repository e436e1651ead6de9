/** The applied offset: what a successor reads on from must never be above an unsettled record. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OffsetTracker } from '../../../src/cell/partition/offset-tracker.ts';

/** Ascending offsets with gaps, as a log with control records has them. */
const offsetsWithGaps = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 60 })
  .map((steps) => {
    let at = -1n;
    return steps.map((step) => (at += BigInt(step)));
  });

describe('the offset tracker', () => {
  it('is, at every step, at the highest offset below which everything delivered is settled', () => {
    const order = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(offsetsWithGaps, order, (offsets, ranks) => {
        const tracker = new OffsetTracker(-1n, []);
        for (const offset of offsets) expect(tracker.deliver(offset, 0, 1)).toBe(true);
        const shuffled = offsets
          .map((offset, at) => ({ offset, rank: ranks[at] ?? 0 }))
          .sort((left, right) => left.rank - right.rank)
          .map(({ offset }) => offset);
        const settled = new Set<bigint>();
        for (const offset of shuffled) {
          const foretold = tracker.appliedWith(new Set([offset])).appliedOffset;
          tracker.settle([offset]);
          settled.add(offset);
          const open = offsets.findIndex((known) => !settled.has(known));
          const expected = open === -1 ? offsets.at(-1) : (offsets[open - 1] ?? -1n);
          expect(tracker.appliedOffset).toBe(expected);
          expect(foretold).toBe(expected);
        }
        expect(tracker.openCount).toBe(0);
        expect(tracker.openBytes).toBe(0);
      }),
    );
  });

  it('skips what a former owner settled above its applied offset, and counts it as progress', () => {
    const tracker = new OffsetTracker(10n, [12n, 14n]);
    expect(tracker.deliver(11n, 0, 1)).toBe(true);
    expect(tracker.deliver(12n, 0, 1)).toBe(false);
    expect(tracker.deliver(13n, 0, 1)).toBe(true);
    expect(tracker.deliver(14n, 0, 1)).toBe(false);
    tracker.settle([11n]);
    expect(tracker.appliedOffset).toBe(12n);
    tracker.settle([13n]);
    expect(tracker.appliedOffset).toBe(14n);
  });

  it('refuses a redelivered offset, settled or not', () => {
    const tracker = new OffsetTracker(-1n, []);
    expect(tracker.deliver(0n, 0, 1)).toBe(true);
    expect(tracker.deliver(0n, 0, 1)).toBe(false);
    tracker.settle([0n]);
    expect(tracker.deliver(0n, 0, 1)).toBe(false);
  });

  it('keeps offsets above 2^53 exact', () => {
    const tracker = new OffsetTracker(9007199254740992n, []);
    expect(tracker.deliver(9007199254740993n, 0, 1)).toBe(true);
    tracker.settle([9007199254740993n]);
    expect(tracker.appliedOffset).toBe(9007199254740993n);
  });

  it('stops on an offset that is settled twice: an invariant of ours is broken', () => {
    const tracker = new OffsetTracker(-1n, []);
    tracker.deliver(0n, 0, 1);
    tracker.settle([0n]);
    expect(() => tracker.settle([0n])).toThrow('settled twice');
  });
});
