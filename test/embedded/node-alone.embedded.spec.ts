/** What `npm start` and `npm test` do on a machine with Node alone, at a desk and in CI. */
import { describe, expect, it } from 'vitest';
import { runScript } from './run-script.ts';

/** Nothing is asked for: the choice is theirs. */
const desk = {};
const ci = { CI: 'true' };
/** Should the refusal fail, this selects little. */
const contractOnly = ['--project', 'contract', '-t', 'a title that no test has'];

describe('at a desk', () => {
  it('npm start goes embedded by itself, after it has said what is missing', async () => {
    const { code, output } = await runScript('scripts/start.js', ['--once'], desk);
    expect(output).toMatch(/^stack: native did not start \(.*\n(.*\n)*.*Java 17/m);
    expect(output).toMatch(/^stack: embedded .* NOTHING IS KEPT/m);
    expect(code, output).toBe(0);
  });

  it('npm start does not do without servers that are there and do not start', async () => {
    const programs = {
      java: `echo 'openjdk version "17.0.1"' >&2`,
      mvn: 'exit 1',
      mariadbd: 'exit 1',
      'redis-server': 'exit 1',
    };
    const { code, output } = await runScript('scripts/start.js', ['--once'], desk, programs);
    expect(output).toMatch(/fetching the jars of Kafka .* failed/);
    expect(output).not.toContain('stack: embedded');
    expect(code, output).toBe(1);
  });

  it('npm test runs what needs no server, and says which suites it leaves out', async () => {
    const files = ['test/unit/kernel/backoff', 'test/contract/redis'];
    const { code, output } = await runScript('scripts/run-tests.js', files, desk);
    expect(output).toMatch(/^not run, for want of servers: contract, int, e2e\ntests: [1-9]/m);
    expect(output).toMatch(/^tests: \d+ passed, 0 failed$/m);
    expect(output).not.toContain('redis.contract');
    expect(code, output).toBe(0);
  });
});

describe('in CI', () => {
  it.each([
    ['scripts/start.js', ['--once']],
    ['scripts/run-tests.js', contractOnly],
  ])('%s ends with 2, naming what is missing and why it does not go embedded', async (...run) => {
    const { code, output } = await runScript(...run, ci);
    expect(output).toMatch(/Missing:\n.*Java 17/);
    expect(output).toMatch(/^CI is set, so the embedded stack is not taken in their place/m);
    expect(output).not.toContain('stack: embedded');
    expect(code, output).toBe(2);
  });

  it('npm start goes embedded when it is asked to', async () => {
    const env = { ...ci, ROOMCELL_STACK: 'embedded' };
    const { code, output } = await runScript('scripts/start.js', ['--once'], env);
    expect(output).toMatch(/^stack: embedded .* NOTHING IS KEPT/m);
    expect(code, output).toBe(0);
  });
});
