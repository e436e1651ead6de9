/**
 * The order of files within a group: those that are known to take minutes begin first, so that they do
 * not run alone at the end, when everything beside them is done.
 */
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Ends of paths, the longest first; but what starts servers of its own again and again is not begun
 * beside the chaos cycles, which do so too and leave nothing of a small machine.
 */
const longest: readonly string[] = [
  ...['first-seeds.sim.spec.ts', 'second-seeds.sim.spec.ts', 'aimed-faults.sim.spec.ts'],
  ...[
    'chaos.e2e.spec.ts',
    'delivery.e2e.spec.ts',
    'gifts.e2e.spec.ts',
    'graceful-stop.e2e.spec.ts',
  ],
  ...['outages.e2e.spec.ts', 'outbox-order.int.spec.ts', 'command-line.int.spec.ts'],
  ...['kafka-faults.int.spec.ts'],
  ...['kafka-log-faults.contract.spec.ts', 'kafka-log.contract.spec.ts', 'start.embedded.spec.ts'],
];

/** See the file header. */
export class LongestFirst extends BaseSequencer {
  /** The usual order, but for those that take long. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return [...usual].sort((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((end) => moduleId.endsWith(end));
  return at < 0 ? longest.length : at;
}
