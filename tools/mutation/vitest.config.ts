/**
 * The specs that judge a mutant of the domain: its own, in one project and one process. Those of
 * random sequences stay out: what they notice differs from run to run, and they take as long as all
 * others together.
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Two thirds of the time for few mutants that no other spec notices: their turn comes last. */
const slow = /(command-by-state|gift-rank|evolve-gift)\.unit\.spec\.ts$/;

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): string =>
      `${slow.test(moduleId) ? 1 : 0} ${moduleId}`;
    return [...files].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    include: ['test/unit/domain/**/*.unit.spec.ts'],
    exclude: ['**/random-rooms.unit.spec.ts'],
    environment: 'node',
    // Every mutant gets a new process anyway; within it the domain is loaded once for all specs.
    isolate: false,
    sequence: { sequencer: QuickestFirst },
  },
});
