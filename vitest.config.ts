/**
 * One project per kind of test, chosen by the file's suffix. Kinds run one after another, from the
 * quickest to the slowest; what needs the stack runs few files at a time, since a small machine
 * carries the servers as well.
 */
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const kinds = [
  { name: 'unit', maxWorkers: 2, testTimeoutMs: 30_000 },
  { name: 'sim', maxWorkers: 2, testTimeoutMs: 120_000 },
  { name: 'embedded', maxWorkers: 2, testTimeoutMs: 120_000 },
  { name: 'contract', maxWorkers: 2, testTimeoutMs: 60_000 },
  { name: 'int', maxWorkers: 2, testTimeoutMs: 60_000 },
  { name: 'e2e', maxWorkers: 2, testTimeoutMs: 120_000 },
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: kinds.map(({ name, maxWorkers, testTimeoutMs }, order) => ({
      test: {
        name,
        include: [`test/**/*.${name}.spec.ts`],
        environment: 'node',
        setupFiles: ['test/support/end-with-runner.ts'],
        pool: 'forks',
        maxWorkers,
        sequence: { groupOrder: order },
        testTimeout: testTimeoutMs,
        hookTimeout: testTimeoutMs,
        env: { KAFKAJS_NO_PARTITIONER_WARNING: '1' },
      },
    })),
  },
});
