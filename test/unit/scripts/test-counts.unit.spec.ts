/**
 * The closing line of `npm test` must be true, also for failures that are in no test.
 */
import { describe, expect, it } from 'vitest';
import { closingLine, countTests } from '../../../scripts/test-counts.ts';

function file(status: string, ...tests: string[]) {
  return { name: 'a.spec.ts', status, assertionResults: tests.map((each) => ({ status: each })) };
}

describe('countTests', () => {
  it('adds up the files', () => {
    const testResults = [file('passed', 'passed', 'passed', 'skipped'), file('failed', 'failed')];
    expect(countTests({ testResults })).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it('counts a file that could not be loaded as one failure', () => {
    expect(countTests({ testResults: [file('failed')] }).failed).toBe(1);
  });

  it('counts a file whose hook threw as one failure, though its tests passed', () => {
    const counts = countTests({ testResults: [file('failed', 'passed', 'passed')] });
    expect(counts).toEqual({ passed: 2, failed: 1, skipped: 0 });
  });

  it('counts todo as skipped', () => {
    expect(countTests({ testResults: [file('passed', 'todo')] }).skipped).toBe(1);
  });
});

describe('closingLine', () => {
  it('names skipped tests only when there are any', () => {
    expect(closingLine({ passed: 412, failed: 0, skipped: 0 })).toBe('tests: 412 passed, 0 failed');
    expect(closingLine({ passed: 1, failed: 2, skipped: 3 })).toBe(
      'tests: 1 passed, 2 failed, 3 skipped',
    );
  });
});
