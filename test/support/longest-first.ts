/**
 * The order of files within a kind: those that are known to take minutes begin first, so that they do
 * not run alone at the end, when everything beside them is done.
 */
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Ends of paths, the longest first. */
const longest: readonly string[] = [
  ...['chaos.e2e.spec.ts', 'outages.e2e.spec.ts', 'delivery.e2e.spec.ts', 'gifts.e2e.spec.ts'],
  ...['graceful-stop.e2e.spec.ts', 'command-line.int.spec.ts', 'kafka-faults.int.spec.ts'],
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
