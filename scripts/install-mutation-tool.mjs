/**
 * Promises the packages of tools/mutation: `node scripts/install-mutation-tool.mjs`. They stay apart
 * from the project's own because they are 64 MB, a fifth as much as all others, for a command that
 * few clones ever run.
 */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from './file-lock.mjs';
import { npmCommand, QUIETLY } from './packages.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const TOOL = join(ROOT, 'tools', 'mutation');

await withFileLock(join(ROOT, '.roomcell', 'mutation-tool.lock'), {}, async () => {
  if (!isInstalled()) process.exitCode = await npmCi();
});

/** npm writes its record last, so that a cut-short install has none that is newer than the lock file. */
function isInstalled() {
  const record = join(TOOL, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  return statSync(record).mtimeMs >= statSync(join(TOOL, 'package-lock.json')).mtimeMs;
}

function npmCi() {
  console.error('mutation: installing the tool (npm ci in tools/mutation)');
  const [command, commandArguments] = npmCommand(['ci', ...QUIETLY]);
  const child = spawn(command, commandArguments, { cwd: TOOL, stdio: ['ignore', 2, 2] });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => settle(code ?? 1));
  });
}
