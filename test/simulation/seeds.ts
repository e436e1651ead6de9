/** Runs of many seeds as tests, a few seeds each, for files that share the seeds of `npm test` out. */
import { describe, expect, it } from 'vitest';
import { runSeed, violationLine } from './batch/seed-summary.ts';
import { addCounts, missedFloors } from './run/sometimes.ts';

const seedsPerTest = 25;
/** A few hundred seeds may miss by chance some of what a batch of the command line must see. */
const missedMax = 5;
/** Ends of whole ways, which any few hundred see: of them none is missed by chance. */
const neverMissed = ['a display that arrived', 'a room brought to the boards', 'a gift of a robot'];

/** Declares the tests of the seeds from `first` to `last`, both included. */
export function describeSeeds(first: number, last: number): void {
  const counts = new Map<string, number>();
  describe(`seeds ${first} to ${last}`, () => {
    for (let from = first; from <= last; from += seedsPerTest) {
      const until = Math.min(from + seedsPerTest - 1, last);
      it(`${from} to ${until} break no promise (ARC-15)`, async () => {
        const broken: string[] = [];
        for (let seed = from; seed <= until; seed += 1) {
          const summary = await runSeed(seed);
          addCounts(counts, summary.counts);
          if (summary.violations.length > 0) broken.push(violationLine(summary));
        }
        expect(broken).toEqual([]);
      });
    }

    it('have seen nearly everything that many runs must see', () => {
      const missed = missedFloors(counts);
      expect(neverMissed.filter((name) => missed.includes(name))).toEqual([]);
      expect(missed.length, `never seen: ${missed.join(', ')}`).toBeLessThanOrEqual(missedMax);
    });
  });
}
