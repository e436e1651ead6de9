/** Starts the roles as one child process and waits until it can be used. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Timers } from '../../src/ports/timers.ts';
import { lineForPerson, type LogLine } from '../../src/main/sample/log-lines.ts';
import { startRoleChild, type RoleChild } from '../../src/main/sample/role-child.ts';
import { projectRoot } from '../../src/main/project-root.ts';
import type { SampleEnv } from './sample-env.ts';

const readyLimitMs = 90_000;
const readyPollMs = 100;

/** A process that is up, or came to its end before. */
export interface StartedRoles {
  readonly child: RoleChild;
  readonly logFile: string;
}

/** Starts it; `onLine` sees every log line. Warnings and errors are printed as they come. */
export function startRoles(
  sample: SampleEnv,
  without: readonly string[],
  onLine: (line: LogLine) => void,
): StartedRoles {
  const folder = join(projectRoot(), '.roomcell', 'logs');
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, `start-${process.pid}.log`);
  const child = startRoleChild({
    program: fileURLToPath(new URL('../../src/main/cli.js', import.meta.url)),
    args: ['all', '--exit-with-stdin', ...without.flatMap((name) => ['--without', name])],
    env: sample.env,
    logFile,
    onLine: (line) => {
      onLine(line);
      if (line.level === 'warn' || line.level === 'error')
        console.log(`    ${lineForPerson(line)}`);
    },
    onText: (text) => console.log(`    ${text}`),
  });
  return { child, logFile };
}

/** Resolves when `/readyz` says yes; rejects when the process ends or takes too long. */
export async function untilReady(
  { child }: StartedRoles,
  opsAddress: string,
  timers: Timers,
  signal: AbortSignal,
): Promise<void> {
  let end: string | null = null;
  void child.ended.then(({ code, signal: by }) => {
    end = `the roomcell process ended (${by ?? `exit code ${code}`})`;
  });
  let reasons = 'no answer yet';
  for (let waitedMs = 0; waitedMs < readyLimitMs; waitedMs += readyPollMs) {
    if (end !== null) throw new Error(end);
    signal.throwIfAborted();
    try {
      const response = await fetch(`http://${opsAddress}/readyz`, { signal });
      if (response.ok) return;
      reasons = await response.text();
    } catch {
      // Not listening yet, or just stopping: the loop asks again and knows both ends.
    }
    await timers.sleep(readyPollMs, signal);
  }
  throw new Error(`not ready within ${readyLimitMs / 1000} s: ${reasons.trim()}`);
}
