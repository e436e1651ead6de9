/**
 * One server process of the run: start, wait until it answers, stop, kill, freeze. Kafka, MySQL
 * and Redis differ only in their command line and in the question that tells they are ready.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerControl } from './stack-types.ts';
import type { Watchdog } from './watchdog.ts';

const PROBE_INTERVAL_MS = 100;
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const LOG_TAIL_LINES = 20;

/** What to run and how to tell that it answers. */
export interface ServerPlan {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  /** Standard output and error go here; its tail is part of a failure's message. */
  readonly logFile: string;
  /** Resolves when the server answers, rejects when it doesn't yet. */
  readonly probe: () => Promise<void>;
}

/** Promises a server that answers, watched by `watchdog`; rejects with the log's tail otherwise. */
export async function startOwnServer(plan: ServerPlan, watchdog: Watchdog): Promise<ServerControl> {
  let running: RunningServer | undefined;
  const control: ServerControl = {
    get pid() {
      return running?.pid;
    },
    async start() {
      if (running !== undefined) return;
      running = launch(plan, watchdog, () => (running = undefined));
      await waitUntilReady(plan, running);
    },
    async stop() {
      await end(running, 'SIGTERM');
    },
    async kill() {
      await end(running, 'SIGKILL');
    },
    freeze: () => signal(running, 'SIGSTOP'),
    thaw: () => signal(running, 'SIGCONT'),
  };
  await control.start();
  return control;
}

interface RunningServer {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exited: Promise<string>;
}

function launch(plan: ServerPlan, watchdog: Watchdog, onExit: () => void): RunningServer {
  const log = openSync(plan.logFile, 'a');
  // In a session of its own: the terminal's Ctrl-C must reach us alone, so that the roles can
  // still drain into servers that live.
  const child = spawn(plan.command, plan.arguments, {
    cwd: plan.folder,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const pid = child.pid;
  const exited = new Promise<string>((settle) => {
    child.once('error', (error) => settle(error.message));
    child.once('exit', (code, signalName) => settle(`exit ${signalName ?? code ?? ''}`));
  });
  if (pid === undefined) throw new Error(`${plan.name}: ${plan.command} could not be started`);
  watchdog.watch(pid);
  child.once('exit', () => {
    watchdog.forget(pid);
    onExit();
  });
  child.unref();
  return { pid, child, exited };
}

async function waitUntilReady(plan: ServerPlan, server: RunningServer): Promise<void> {
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  let exit: string | undefined;
  let lastError: unknown;
  void server.exited.then((reason) => (exit = reason));
  while (Date.now() < deadlineMs) {
    try {
      await plan.probe();
      return;
    } catch (error) {
      lastError = error;
    }
    if (exit !== undefined) break;
    await delay(PROBE_INTERVAL_MS);
  }
  const reason = exit ?? `no answer in ${READY_TIMEOUT_MS} ms`;
  await end(server, 'SIGKILL');
  throw new Error(`${plan.name} did not start (${reason}). Its last words:\n${tail(plan)}`, {
    cause: lastError,
  });
}

function tail(plan: ServerPlan): string {
  const lines = readFileSync(plan.logFile, 'utf8').trimEnd().split('\n');
  return lines.slice(-LOG_TAIL_LINES).join('\n');
}

async function end(server: RunningServer | undefined, first: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (server === undefined) return;
  const forced = setTimeout(() => signal(server, 'SIGKILL'), STOP_TIMEOUT_MS);
  // A frozen process takes SIGTERM only after it was thawed.
  signal(server, first);
  signal(server, 'SIGCONT');
  server.child.ref();
  await server.exited;
  clearTimeout(forced);
}

/** Through the child's handle, never by number: it stays silent once the process is gone. */
function signal(server: RunningServer | undefined, name: NodeJS.Signals): void {
  server?.child.kill(name);
}
