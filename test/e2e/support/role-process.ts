/** One process of a fleet, with the verbs of a fault test: kill, freeze, thaw, terminate. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { waitUntil } from '../../support/wait-until.ts';

/** A log line as written by the process. */
export type LogLine = Readonly<Record<string, unknown>>;

/** How the process is started. */
export interface RoleProcessStart {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly opsPort: number;
  readonly grpcPort: number;
  /** Everything that it writes goes here too; then memory keeps only the newest lines. */
  readonly logFile?: string;
}

/** Lines kept in memory of a process whose log is in a file. */
const linesKept = 200;

/** Whatever a test file leaves behind when its set-up fails ends with the runner of the file. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});
// As the pool of test processes ends them; without a word of ours nothing would be told of it.
process.once('SIGTERM', () => process.exit(1));

/** See the file header. Only this very process is ever signalled, by its pid. */
export class RoleProcess {
  readonly name: string;
  readonly opsPort: number;
  readonly grpcPort: number;
  readonly lines: LogLine[] = [];
  /** What was written that is no JSON: a start-up fault, a crash of Node. */
  readonly raw: string[] = [];
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  private readonly child: ChildProcess;
  private readonly logFile: WriteStream | null;
  private ended = false;

  constructor(start: RoleProcessStart) {
    this.name = start.name;
    this.opsPort = start.opsPort;
    this.grpcPort = start.grpcPort;
    this.logFile =
      start.logFile === undefined ? null : createWriteStream(start.logFile, { flags: 'a' });
    this.child = spawn(process.execPath, [start.script, ...start.args], {
      env: { PATH: process.env['PATH'] ?? '', ...start.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => this.take(line));
    }
    living.add(this.child);
    // Its last words may come behind its exit.
    this.child.once('close', () => this.logFile?.end());
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.ended = true;
        living.delete(this.child);
        resolve({ code, signal });
      });
    });
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  get running(): boolean {
    return !this.ended;
  }

  /** SIGKILL: no clean-up of any kind. Resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.running) this.child.kill('SIGKILL');
    await this.exited;
  }

  /** SIGSTOP: sockets stay open, nothing moves. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** SIGTERM; resolves with how it ended. */
  async terminate(): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    if (this.running) this.child.kill('SIGTERM');
    return this.exited;
  }

  /** The /readyz answer, or null when nobody answers. */
  async readyz(): Promise<{ readonly status: number; readonly body: string } | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.opsPort}/readyz`, {
        signal: AbortSignal.timeout(1_000),
      });
      return { status: answer.status, body: await answer.text() };
    } catch {
      // Not listening yet, frozen, or gone: for a probe all three mean "no answer".
      return null;
    }
  }

  /** Waits until the process says it is ready. */
  async ready(limitMs = 60_000): Promise<this> {
    await waitUntil(
      `${this.name} is ready`,
      async () => {
        if (!this.running) throw new Error(`${this.name} has ended:\n${this.tail()}`);
        return (await this.readyz())?.status === 200;
      },
      { limitMs, everyMs: 50, seen: () => this.tail() },
    );
    return this;
  }

  /** Waits for a log line that `matches`; lines that were written before count too. */
  async logged(
    what: string,
    matches: (line: LogLine) => boolean,
    limitMs = 30_000,
  ): Promise<LogLine> {
    return waitUntil(
      `${this.name} logs: ${what}`,
      () => Promise.resolve(this.lines.find(matches) ?? null),
      { limitMs, everyMs: 20, seen: () => this.tail() },
    );
  }

  /** Its last lines, for a failing test. */
  tail(): string {
    const last = this.lines.slice(-15).map((line) => JSON.stringify(line));
    return [...this.raw.slice(-10), ...last].join('\n');
  }

  private take(line: string): void {
    this.logFile?.write(`${line}\n`);
    if (this.logFile !== null) {
      if (this.lines.length > linesKept) this.lines.splice(0, linesKept / 2);
      if (this.raw.length > linesKept) this.raw.splice(0, linesKept / 2);
    }
    if (!line.startsWith('{')) {
      this.raw.push(line);
      return;
    }
    try {
      this.lines.push(JSON.parse(line) as LogLine);
    } catch {
      // Half a line of a killed process: kept as text.
      this.raw.push(line);
    }
  }
}
