/**
 * A lock between processes of one machine, held by a file that names its owner's process id.
 * Plain JavaScript, because the bootstrap needs it before anything is installed or compiled.
 */
import { rmSync } from 'node:fs';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_INTERVAL_MS = 200;
/** A lock file without a readable owner is one that is being written; after this it is garbage. */
const UNREADABLE_MAX_AGE_MS = 5_000;
const NOTICE_AFTER_MS = 2_000;

/**
 * Runs `task` while no other process holds `lockFile`, and gives the lock back whatever happens.
 * A lock left by a process that died is taken over. Throws when the lock isn't had in `timeoutMs`.
 *
 * @template T
 * @param {string} lockFile
 * @param {{ timeoutMs?: number, onWait?: (ownerPid: number | undefined) => void }} options
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
export async function withFileLock(lockFile, options, task) {
  await acquire(lockFile, options);
  const releaseAtExit = () => rmSync(lockFile, { force: true });
  process.once('exit', releaseAtExit);
  try {
    return await task();
  } finally {
    process.off('exit', releaseAtExit);
    await rm(lockFile, { force: true });
  }
}

async function acquire(lockFile, { timeoutMs = 900_000, onWait }) {
  await mkdir(dirname(lockFile), { recursive: true });
  const startedAtMs = Date.now();
  let noticed = false;
  while (!(await tryCreate(lockFile))) {
    const ownerPid = await readOwnerPid(lockFile);
    if (await isAbandoned(lockFile, ownerPid)) {
      await removeAbandoned(lockFile);
      continue;
    }
    const waitedMs = Date.now() - startedAtMs;
    if (waitedMs > timeoutMs) {
      throw new Error(`${lockFile} is still held by process ${ownerPid} after ${timeoutMs} ms`);
    }
    if (!noticed && waitedMs > NOTICE_AFTER_MS) {
      noticed = true;
      onWait?.(ownerPid);
    }
    await delay(POLL_INTERVAL_MS);
  }
}

async function tryCreate(lockFile) {
  try {
    const handle = await open(lockFile, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readOwnerPid(lockFile) {
  const text = await readFile(lockFile, 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

async function isAbandoned(lockFile, ownerPid) {
  if (ownerPid !== undefined) return !isAlive(ownerPid);
  const facts = await stat(lockFile).catch(() => undefined);
  return facts !== undefined && Date.now() - facts.mtimeMs > UNREADABLE_MAX_AGE_MS;
}

/**
 * Hazard: two waiters see the same dead owner, one removes the file and creates its own, then the
 * other removes *that*. So removal has a lock of its own and looks again while holding it.
 */
async function removeAbandoned(lockFile) {
  const guardFile = `${lockFile}.takeover`;
  if (!(await tryCreate(guardFile))) {
    const guardOwnerPid = await readOwnerPid(guardFile);
    if (await isAbandoned(guardFile, guardOwnerPid)) await rm(guardFile, { force: true });
    await delay(POLL_INTERVAL_MS);
    return;
  }
  try {
    if (await isAbandoned(lockFile, await readOwnerPid(lockFile))) {
      await rm(lockFile, { force: true });
    }
  } finally {
    await rm(guardFile, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
