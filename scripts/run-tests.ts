/**
 * `npm test`: starts the stack once if a selected test needs it, runs vitest with the stack's
 * addresses in the environment, stops the stack and closes with the true counts. Arguments go to
 * vitest: `npm test -- test/unit`, `npm test -- --project unit -t "a title"`.
 *
 * On a machine without servers the suites that need them are left out, which is said before the
 * closing line; in CI that machine is refused.
 *
 * A run of everything is also held to docs/requirements.md: what it calls proven must have passed.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseCLI } from 'vitest/node';
import { projectRoot } from '../src/main/project-root.ts';
import { unprovenRequirements } from './requirements/project-pages.ts';
import type { NamedTestReport } from './requirements/report-faults.ts';
import { startAnyStack } from './stack/start-stack.ts';
import { StackUnavailableError, type AnyStack } from './stack/stack-types.ts';
import { closingLine, countTests, type TestReport } from './test-counts.ts';
import { needsStack, specFiles, STACK_KINDS, withoutStackKinds } from './test-selection.ts';
import type { TestSelection } from './test-selection.ts';

const root = projectRoot();
const reportFile = join(root, '.roomcell', `test-report-${process.pid}.json`);

process.exitCode = await main(process.argv.slice(2));

async function main(vitestArguments: readonly string[]): Promise<number> {
  let stack: AnyStack | undefined;
  try {
    if (needsStack(selectionOf(vitestArguments), specFiles(root))) {
      stack = await startAnyStack({ stopOnSignals: false, containers: 'testcontainers' });
    }
  } catch (error) {
    if (!(error instanceof StackUnavailableError)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
  // Each test says for itself what it stands on, so the embedded stack gives it no variables.
  const isEmbedded = stack?.kind === 'embedded';
  const exitCode = isEmbedded
    ? await runVitest([...vitestArguments, ...withoutStackKinds], {})
    : await runVitest(vitestArguments, stack?.env ?? {});
  await stack?.stop();
  if (isEmbedded) console.log(`not run, for want of servers: ${STACK_KINDS.join(', ')}`);
  return close(exitCode, vitestArguments.length === 0 && !isEmbedded);
}

function selectionOf(vitestArguments: readonly string[]): TestSelection {
  const { filter, options } = parseCLI(['vitest', 'run', ...vitestArguments], {
    allowUnknownOptions: true,
  });
  return { projects: [options.project ?? []].flat(), fileFilters: filter };
}

/** Resolves with vitest's exit code. A signal to us goes to vitest; the stack is stopped after it. */
async function runVitest(
  vitestArguments: readonly string[],
  stackEnv: Readonly<Record<string, string>>,
): Promise<number> {
  mkdirSync(join(root, '.roomcell'), { recursive: true });
  const child = spawn(
    process.execPath,
    [
      ...[join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...vitestArguments],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...stackEnv } },
  );
  let received: NodeJS.Signals | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    received = signal;
    child.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const code = await new Promise<number>((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => settle(exitCode ?? 1));
  });
  return received === undefined ? code : 128 + constants.signals[received];
}

/** Prints the closing line and returns the exit code that agrees with it. */
function close(vitestExitCode: number, isWhole: boolean): number {
  const report = readReport();
  if (report === undefined) {
    console.error(`run-tests: vitest ended with ${vitestExitCode} and left no report`);
    return vitestExitCode === 0 ? 1 : vitestExitCode;
  }
  const counts = countTests(report);
  // An error outside every test (a rejection nobody awaited) fails vitest, but is in no report.
  const hasRun = counts.passed + counts.failed > 0;
  const isUnreported = hasRun && vitestExitCode !== 0 && counts.failed === 0;
  if (isUnreported) {
    console.error(`run-tests: vitest ended with ${vitestExitCode} for an error outside the tests`);
  }
  if (!hasRun) console.error('run-tests: no test ran');
  const unproven = isWhole && hasRun ? unprovenRequirements(report) : [];
  for (const fault of unproven) console.error(`docs/requirements.md: ${fault}`);
  const failed = Math.max(counts.failed, isUnreported || unproven.length > 0 ? 1 : 0);
  console.log(closingLine({ ...counts, failed }));
  if (vitestExitCode !== 0) return vitestExitCode;
  return failed === 0 && hasRun ? 0 : 1;
}

function readReport(): (TestReport & NamedTestReport) | undefined {
  if (!existsSync(reportFile)) return undefined;
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as TestReport & NamedTestReport;
  rmSync(reportFile, { force: true });
  return report;
}
