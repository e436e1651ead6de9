/**
 * One project per kind of test, chosen by the file's suffix. What needs no servers runs first; kinds that
 * need the stack share one group, so that none waits for the last file of another, and run few files at
 * a time, since a small machine carries the servers as well.
 */
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const maxWorkers = 2;
const kinds = [
  { name: 'unit', group: 0, testTimeoutMs: 30_000 },
  { name: 'sim', group: 0, testTimeoutMs: 120_000 },
  { name: 'embedded', group: 1, testTimeoutMs: 120_000 },
  { name: 'contract', group: 1, testTimeoutMs: 60_000 },
  { name: 'int', group: 1, testTimeoutMs: 60_000 },
  { name: 'e2e', group: 1, testTimeoutMs: 120_000 },
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: kinds.map(({ name, group, testTimeoutMs }) => ({
      test: {
        name,
        include: [`test/**/*.${name}.spec.ts`],
        environment: 'node',
        setupFiles: ['test/support/end-with-runner.ts'],
        pool: 'forks',
        maxWorkers,
        sequence: { groupOrder: group },
        testTimeout: testTimeoutMs,
        hookTimeout: testTimeoutMs,
        env: { KAFKAJS_NO_PARTITIONER_WARNING: '1' },
      },
    })),
  },
});
