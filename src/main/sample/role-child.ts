/**
 * A roomcell process as a child of whoever plays with it: its log is read, its end is told, and it
 * ends by itself when its parent dies, because its input then closes (`--exit-with-stdin`).
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readLogLine, type LogLine } from './log-lines.ts';

/** How a process ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running process. */
export interface RoleChild {
  readonly pid: number;
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<ChildEnd>;
  /** Asks it to end in an orderly way and waits for it; ends it by force after `limitMs`. */
  stop(limitMs: number): Promise<ChildEnd>;
}

/** Starts `roomcell` with these arguments. Every line of its output goes to `logFile`. */
export function startRoleChild(options: {
  readonly program: string;
  readonly args: readonly string[];
  /** For Node itself, such as a profiler's switches. */
  readonly nodeArgs?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logFile: string;
  readonly onLine: (line: LogLine) => void;
  /** Text that is no log line: what the command line itself says. */
  readonly onText: (text: string) => void;
}): RoleChild {
  const child = spawn(
    process.execPath,
    [...(options.nodeArgs ?? []), options.program, ...options.args],
    {
      env: options.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C reaches the parent alone, which then ends the child in order.
      detached: true,
    },
  );
  const log = createWriteStream(options.logFile, { flags: 'a' });
  log.on('error', (error) => options.onText(`the log file cannot be written: ${error.message}`));
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      log.write(`${text}\n`);
      const line = readLogLine(text);
      if (line === null) options.onText(text);
      else options.onLine(line);
    });
  }
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error) => {
      options.onText(`the process could not be started: ${error.message}`);
      resolve({ code: null, signal: null });
    });
    child.once('close', (code, signal) => {
      log.end();
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid ?? -1,
    ended,
    async stop(limitMs) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const end = await ended;
      clearTimeout(timer);
      return end;
    },
  };
}
