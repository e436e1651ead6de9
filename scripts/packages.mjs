/**
 * What npm has to do before a script can run. A start takes the packages of the product and the
 * compiler; every other script takes those of development too, which are three quarters of all and
 * more than half of an install's time.
 *
 * The compiler is an optional dependency because that is a group of its own for npm: a start installs
 * it without the packages of development, and the image leaves it out as it leaves out those.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Arguments for every install: npm says nothing but what went wrong. */
export const QUIETLY = ['--no-audit', '--no-fund'];

/**
 * Promises the packages of the lock file, as far as they are wanted. `npm` runs npm with arguments and
 * is to reject, or to end this process, when that fails.
 *
 * @param {string} root Folder of the project.
 * @param {boolean} forDevelopment
 * @param {(npmArguments: string[]) => Promise<void>} npm
 */
export async function installMissing(root, forDevelopment, npm) {
  if (!isInstalled(root) || (forDevelopment && wasCutShort(root))) {
    const development = forDevelopment ? '--include=dev' : '--omit=dev';
    await npm(['ci', development, '--include=optional', ...QUIETLY]);
  } else if (forDevelopment && !hasDevelopment(root)) {
    writeStamp(root, { isAdding: true });
    // Not `npm ci`: it removes every package first, also under a program that serves from here.
    await npm(['install', '--include=dev', '--no-save', ...QUIETLY]);
  } else return;
  writeStamp(root);
}

/**
 * Program and arguments that run npm: the one that started us, if one did, so that `npm start` never
 * meets another npm on the PATH.
 *
 * @param {string[]} npmArguments
 * @returns {[string, string[]]}
 */
export function npmCommand(npmArguments) {
  const npmScript = process.env.npm_execpath;
  if (npmScript !== undefined && basename(npmScript) === 'npm-cli.js') {
    return [process.execPath, [npmScript, ...npmArguments]];
  }
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', npmArguments];
}

/**
 * Without a stamp, an install that npm itself finished after the lock file's last change counts as
 * well and gets its stamp now. The compiler is looked for, because npm does not call it a failure when
 * an optional package could not be had.
 */
function isInstalled(root) {
  const compiler = join(root, 'node_modules', 'typescript', 'package.json');
  if (!existsSync(npmRecord(root)) || !existsSync(compiler)) return false;
  if (existsSync(stampFile(root))) {
    const stamp = readStamp(root);
    return stamp.lockSha256 === lockSha256(root) && stamp.platform === platformName();
  }
  if (statSync(npmRecord(root)).mtimeMs < statSync(lockFile(root)).mtimeMs) return false;
  writeStamp(root);
  return true;
}

/**
 * A killed `npm install` leaves packages in pieces, which the next one takes for whole. Only those
 * that it was adding: a start can go on with the others.
 */
function wasCutShort(root) {
  return readStamp(root).isAdding === true;
}

/** By npm's own record, which knows also of a later `npm prune`. */
function hasDevelopment(root) {
  const { packages } = JSON.parse(readFileSync(npmRecord(root), 'utf8'));
  return Object.values(packages).some(({ dev }) => dev === true);
}

function readStamp(root) {
  return JSON.parse(readFileSync(stampFile(root), 'utf8'));
}

/** The Node version is for whoever reads it: no package is built for one Node version alone. */
function writeStamp(root, more = {}) {
  const stamp = { lockSha256: lockSha256(root), platform: platformName(), node: process.version };
  writeFileSync(stampFile(root), `${JSON.stringify({ ...stamp, ...more })}\n`);
}

function npmRecord(root) {
  return join(root, 'node_modules', '.package-lock.json');
}

function stampFile(root) {
  return join(root, 'node_modules', '.roomcell-install.json');
}

function lockFile(root) {
  return join(root, 'package-lock.json');
}

function lockSha256(root) {
  return createHash('sha256')
    .update(readFileSync(lockFile(root)))
    .digest('hex');
}

function platformName() {
  return `${process.platform}-${process.arch}`;
}
