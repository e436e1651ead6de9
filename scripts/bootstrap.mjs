/**
 * The first thing every npm script runs: `node scripts/bootstrap.mjs <name> [arguments]`.
 * It needs Node alone: it installs the packages when they are missing or older than the lock file,
 * compiles what changed, and goes on as `dist/scripts/<name>.js` in this same process, so that
 * input, output, signals and the exit code are the script's own.
 *
 * A `start` is for a look: it does without the packages of development and without a check of types,
 * which together are most of what the first one would cost. Every other script has both, and with CI
 * set `start` has them too.
 *
 * ROOMCELL_ALLOW_TYPE_ERRORS=1 goes on when the compiler found errors: for work on a half-changed
 * tree. It is ignored when CI is set.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MINIMUM_NODE = [20, 19];
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** Exit codes of the compiler for errors in the sources. */
const ERRORS_WITHOUT_OUTPUT = 1;
const ERRORS_WITH_OUTPUT = 2;
/** What the compiler remembers of its last check of types; `dist` has a record of its own. */
const CHECK_RECORD = join(ROOT, 'node_modules', '.cache', 'tsc', 'build.tsbuildinfo');
/** Script name of package.json → compiled file under dist/scripts. */
const SCRIPTS = { start: 'start.js', test: 'run-tests.js' };

await main();

async function main() {
  refuseOldNode();
  const [name, ...scriptArguments] = process.argv.slice(2);
  const script = SCRIPTS[name ?? ''] ?? `${name}.js`;
  if (name === undefined || !existsSync(sourceOf(script))) {
    fail(
      `usage: node scripts/bootstrap.mjs <start|test|name of a file in scripts/> [arguments]`,
      2,
    );
  }
  const { withFileLock } = await import('./file-lock.mjs');
  // One lock for both steps: npm ci removes node_modules under a compiler that still runs.
  await withFileLock(
    join(ROOT, '.roomcell', 'bootstrap.lock'),
    {
      onWait: (pid) =>
        console.error(`bootstrap: waiting for process ${pid}, which prepares this folder`),
    },
    () => prepare(name === 'start' && process.env.CI === undefined),
  );
  const target = join(ROOT, 'dist', 'scripts', script);
  process.argv.splice(1, process.argv.length, target, ...scriptArguments);
  await import(pathToFileURL(target).href);
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [minimumMajor, minimumMinor] = MINIMUM_NODE;
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return;
  fail(`roomcell needs Node ${MINIMUM_NODE.join('.')} or newer, this is ${process.version}.`, 2);
}

async function prepare(isForALook) {
  const { installMissing, npmCommand } = await import('./packages.mjs');
  const { compileIfChanged } = await import('./compiled-sources.mjs');
  await installMissing(ROOT, !isForALook, async (npmArguments) => {
    console.error(`bootstrap: installing packages (npm ${npmArguments[0]})`);
    await run(...npmCommand(npmArguments));
  });
  const mayHaveErrors =
    process.env.ROOMCELL_ALLOW_TYPE_ERRORS === '1' && process.env.CI === undefined;
  if (!isForALook) {
    const check = compilerCommand('--noEmit', '--tsBuildInfoFile', CHECK_RECORD);
    await run(...check, mayHaveErrors ? [0, ERRORS_WITHOUT_OUTPUT, ERRORS_WITH_OUTPUT] : [0]);
  }
  await compileIfChanged(ROOT, async () => {
    // No type decides about the output, so that imports need not be followed into the packages.
    const emit = compilerCommand('--noCheck', '--noResolve', '--incremental', 'false');
    return (await run(...emit, mayHaveErrors ? [0, ERRORS_WITH_OUTPUT] : [0])) === 0;
  });
}

function compilerCommand(...flags) {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return [process.execPath, [compiler, '-p', join(ROOT, 'tsconfig.build.json'), ...flags]];
}

/** Runs one step to a good exit code; its output goes to stderr: stdout stays the script's own. */
async function run(command, commandArguments, goodOutcomes = [0]) {
  const child = spawn(command, commandArguments, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  const stop = (signal) => child.kill(signal);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const outcome = await new Promise((settle) => {
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => settle(signal ?? code));
  });
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (goodOutcomes.includes(outcome)) return outcome;
  fail(`bootstrap: ${[command, ...commandArguments].join(' ')} ended with ${outcome}`, 1);
}

function sourceOf(script) {
  return join(ROOT, 'scripts', script.replace(/\.js$/, '.ts'));
}

function fail(message, exitCode) {
  console.error(message);
  process.exit(exitCode);
}
