/**
 * Loaded before every test file. A test process ends when its runner is gone: a killed `npm test`
 * must not leave a suite running, with the servers that the suite started.
 */
const MARK = Symbol.for('roomcell.ends-with-runner');
const marks = globalThis as unknown as Record<symbol, boolean | undefined>;

if (marks[MARK] !== true) {
  marks[MARK] = true;
  process.once('disconnect', () => process.exit(1));
}
