/** Which code is mutated, by which tests it is judged, and what score is enough: docs/mutation.md. */
const folder = '.roomcell/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  plugins: ['@stryker-mutator/vitest-runner', './tools/mutation/assertion-texts.mjs'],
  ignorers: ['assertion-texts'],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
  mutate: ['src/domain/**/*.ts'],
  // What no test of the domain reads isn't copied into the place where the mutants run.
  ignorePatterns: [
    '.roomcell',
    'bench',
    'dist',
    'docs',
    'k8s',
    'migrations',
    'scripts',
    'test/golden',
  ],
  coverageAnalysis: 'perTest',
  // What is worked out while a file loads would be tried by every spec, each time from the start:
  // nine tenths of the run's time for tables and limits.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 60_000,
  tempDirName: `${folder}/sandbox`,
  reporters: ['clear-text', 'json', 'html', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
  jsonReporter: { fileName: `${folder}/report.json` },
  htmlReporter: { fileName: `${folder}/report.html` },
  thresholds: { high: 95, low: 85, break: 85 },
};
