/**
 * The lock between processes, with real processes: two bootstraps in one checkout must take turns.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const LOCK_MODULE = pathToFileURL(join(import.meta.dirname, '../../../scripts/file-lock.mjs')).href;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'file-lock-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('withFileLock', () => {
  it('lets one process in at a time, whatever their number', async () => {
    const runs = await Promise.all(
      [1, 2, 3].map(() => holder("note('in '); await turn(); note('out ')")),
    );
    expect(runs).toEqual([0, 0, 0]);
    expect(readFileSync(join(folder, 'notes'), 'utf8')).toBe('in out '.repeat(3));
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('takes over the lock of a process that is gone', async () => {
    const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(gone, 'exit');
    writeFileSync(join(folder, 'lock'), String(gone.pid));
    expect(await holder("note('in')")).toBe(0);
  });

  it('names the owner when it gives up', async () => {
    writeFileSync(join(folder, 'lock'), String(process.pid));
    appendFileSync(join(folder, 'notes'), '');
    expect(await holder("note('in')", 300)).toBe(1);
    expect(readFileSync(join(folder, 'notes'), 'utf8')).toBe(
      `still held by process ${process.pid}`,
    );
  });

  it('gives the lock back when the task throws', async () => {
    expect(await holder("throw new Error('no')")).toBe(1);
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('gives the lock back when the task ends the process', async () => {
    expect(await holder('process.exit(3)')).toBe(3);
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });
});

/** Runs `task` under the lock in a process of its own; resolves with the exit code. */
async function holder(task: string, timeoutMs = 8_000): Promise<unknown> {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { withFileLock } from '${LOCK_MODULE}';
    const note = (text) => appendFileSync(${JSON.stringify(join(folder, 'notes'))}, text);
    const turn = () => new Promise((settle) => setImmediate(settle));
    const lock = ${JSON.stringify(join(folder, 'lock'))};
    try {
      await withFileLock(lock, { timeoutMs: ${timeoutMs} }, async () => { ${task} });
    } catch (error) {
      note(/still held by process \\d+/.exec(error.message)?.[0] ?? '');
      process.exitCode = 1;
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
