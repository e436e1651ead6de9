/**
 * Reads vitest's JSON report and says how many tests passed, failed and were skipped. A file that
 * failed outside its tests (it could not be loaded, or a hook of it threw) counts as one failure,
 * because no failure may be missing from the last line.
 */

/** The part of vitest's JSON report that is read. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** What the last line tells. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts a report. */
export function countTests(report: TestReport): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    const statuses = file.assertionResults.map((test) => test.status);
    const failed = statuses.filter((status) => status === 'failed').length;
    const passed = statuses.filter((status) => status === 'passed').length;
    counts.passed += passed;
    counts.failed += failed === 0 && file.status === 'failed' ? 1 : failed;
    counts.skipped += statuses.length - passed - failed;
  }
  return counts;
}

/** The closing line: `tests: 412 passed, 0 failed`, with `, N skipped` only when there are any. */
export function closingLine({ passed, failed, skipped }: TestCounts): string {
  const skippedPart = skipped > 0 ? `, ${skipped} skipped` : '';
  return `tests: ${passed} passed, ${failed} failed${skippedPart}`;
}
