/**
 * Makes `src/drivers/grpc/generated` from `schemas/proto`. The result is committed, so that a clone
 * compiles without a code generator. `--check` writes nothing and fails when the committed files are
 * not what the schemas give today; a unit test runs it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const generatedDir = 'src/drivers/grpc/generated';
const generateTimeoutMs = 60_000;

if (process.argv.includes('--check')) check();
else generateInto(root, ['--clean']);

function check() {
  const scratch = mkdtempSync(path.join(tmpdir(), 'roomcell-proto-'));
  try {
    generateInto(scratch, []);
    const stale = differences(path.join(scratch, generatedDir), path.join(root, generatedDir));
    if (stale.length > 0) {
      console.error(`not fresh, run node scripts/generate-proto.mjs: ${stale.join(', ')}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs the generator with its output paths put under `outputRoot`. */
function generateInto(outputRoot, extraArguments) {
  const buf = path.join(root, 'node_modules/.bin/buf');
  execFileSync(buf, ['generate', '--output', outputRoot, ...extraArguments], {
    cwd: root,
    stdio: 'inherit',
    timeout: generateTimeoutMs,
  });
}

/** Files that are missing on one side or differ in a byte. */
function differences(fresh, committed) {
  const names = new Set([...filesUnder(fresh), ...filesUnder(committed)]);
  return [...names].filter((name) => textOf(fresh, name) !== textOf(committed, name));
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

function textOf(folder, name) {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch {
    // Not there: a name of the other side only, which differs from every text.
    return null;
  }
}
