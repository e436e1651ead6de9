/** Every port has a real driver, a twin in memory, and a suite that both run. */
import { expect, it } from 'vitest';
import { ports } from '../contract/ports.ts';
import { portViolations } from '../support/port-rules.ts';
import { projectFiles } from '../support/source-files.ts';

const files = projectFiles();
/** Here and not in the test: parsing all drivers takes as long as the machine is busy. */
const violations = portViolations(files, ports);

it('every port has a suite that its real driver and its twin run (ARC-20)', () => {
  expect(files.map(({ path }) => path)).toContain('src/ports/clock.ts');
  expect(violations).toEqual([]);
});
