/**
 * The first thing every npm script runs: `node scripts/bootstrap.mjs <name> [arguments]`.
 * It needs Node alone: it installs the packages when they are missing or older than the lock file,
 * compiles what changed, and goes on as `dist/scripts/<name>.js` in this same process, so that
 * input, output, signals and the exit code are the script's own.
 *
 * `start` is compiled without a check of its types, which would be half of what a first start costs
 * beside the packages; every other script checks them. With CI set, `start` does so too.
 *
 * ROOMCELL_ALLOW_TYPE_ERRORS=1 goes on when the compiler found type errors but wrote its output:
 * for work on a half-changed tree. It is ignored when CI is set.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MINIMUM_NODE = [20, 19];
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const MODULES = join(ROOT, 'node_modules');
const LOCK_FILE = join(ROOT, 'package-lock.json');
/** The compiler's exit code for "errors found, output written". */
const TYPE_ERRORS = 2;
const STAMP_FILE = join(MODULES, '.roomcell-install.json');
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

async function prepare(isUnchecked) {
  if (!isInstalled()) {
    console.error('bootstrap: installing packages (npm ci)');
    await run(...npmCommand(['ci', '--include=dev', '--no-audit', '--no-fund']));
    writeStamp();
  }
  const compiler = join(MODULES, 'typescript', 'bin', 'tsc');
  const mayHaveTypeErrors =
    process.env.ROOMCELL_ALLOW_TYPE_ERRORS === '1' && process.env.CI === undefined;
  await run(
    process.execPath,
    [compiler, '-p', join(ROOT, 'tsconfig.build.json'), ...(isUnchecked ? ['--noCheck'] : [])],
    mayHaveTypeErrors ? [0, TYPE_ERRORS] : [0],
  );
}

/**
 * The stamp tells which lock file was installed. Without one, an install that npm itself finished
 * after the lock file's last change counts as well and gets its stamp now. The Node version is
 * written for whoever reads it: no package is built for one Node version alone.
 */
function isInstalled() {
  const npmRecord = join(MODULES, '.package-lock.json');
  if (!existsSync(npmRecord)) return false;
  if (existsSync(STAMP_FILE)) {
    const stamp = JSON.parse(readFileSync(STAMP_FILE, 'utf8'));
    return stamp.lockSha256 === lockSha256() && stamp.platform === platformName();
  }
  if (statSync(npmRecord).mtimeMs < statSync(LOCK_FILE).mtimeMs) return false;
  writeStamp();
  return true;
}

function writeStamp() {
  const stamp = { lockSha256: lockSha256(), platform: platformName(), node: process.version };
  writeFileSync(STAMP_FILE, `${JSON.stringify(stamp)}\n`);
}

function lockSha256() {
  return createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex');
}

function platformName() {
  return `${process.platform}-${process.arch}`;
}

/** The npm that started us, if one did, so that `npm start` never meets another npm on the PATH. */
function npmCommand(npmArguments) {
  const npmScript = process.env.npm_execpath;
  if (npmScript !== undefined && basename(npmScript) === 'npm-cli.js') {
    return [process.execPath, [npmScript, ...npmArguments]];
  }
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', npmArguments];
}

/** Runs one preparing step; its output goes to stderr, so that stdout stays the script's own. */
async function run(command, commandArguments, goodOutcomes = [0]) {
  const child = spawn(command, commandArguments, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  const stop = (signal) => child.kill(signal);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const outcome = await new Promise((settle) => {
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => settle(signal ?? code));
  });
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (goodOutcomes.includes(outcome)) return;
  fail(`bootstrap: ${[command, ...commandArguments].join(' ')} ended with ${outcome}`, 1);
}

function sourceOf(script) {
  return join(ROOT, 'scripts', script.replace(/\.js$/, '.ts'));
}

function fail(message, exitCode) {
  console.error(message);
  process.exit(exitCode);
}
