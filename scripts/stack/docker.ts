/** The `docker` program: whether an engine answers it, and calls whose words go to the terminal. */
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { EngineProbe } from './stack-choice.ts';

const PROBE_TIMEOUT_MS = 5_000;
const WORDS_KEPT = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/** Asks once, in bounded time. An engine that hangs counts as none. */
export async function probeEngine(environment: Environment): Promise<EngineProbe> {
  const ask = async (...words: string[]): Promise<boolean> => {
    try {
      await promisify(execFile)('docker', words, {
        env: environment,
        timeout: PROBE_TIMEOUT_MS,
      });
      return true;
    } catch {
      // Not installed, not allowed, no engine, or too slow: for us it is all the same.
      return false;
    }
  };
  if (!(await ask('version', '--format', '{{.Server.Version}}'))) return 'no engine';
  return (await ask('compose', 'version')) ? 'answers' : 'no compose';
}

/** How to call `docker`. */
export interface DockerCall {
  readonly words: readonly string[];
  readonly environment: Environment;
  readonly limitMs: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `docker` to its end. Its words go to standard error as they come, because fetching images
 * takes minutes; a failure rejects with the last of them.
 */
export async function runDocker(call: DockerCall): Promise<void> {
  // A group of its own: the terminal's Ctrl-C reaches us alone, and we end it in order.
  const child = spawn('docker', call.words, {
    env: call.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let lastWords: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    lastWords = [...lastWords, ...lines].slice(-WORDS_KEPT);
  });
  let reason = '';
  const endEarly = (why: string) => (): void => {
    reason = why;
    child.kill('SIGINT');
  };
  const limit = setTimeout(endEarly(`not done in ${call.limitMs / 1000} s`), call.limitMs);
  const onAbort = endEarly('interrupted');
  call.signal?.addEventListener('abort', onAbort, { once: true });
  const end = await new Promise<string>((settle) => {
    child.once('error', (error) => settle(error.message));
    child.once('close', (code, signal) => settle(code === 0 ? '' : `ended with ${signal ?? code}`));
  });
  clearTimeout(limit);
  call.signal?.removeEventListener('abort', onAbort);
  if (end === '') return;
  const what = ['docker', ...call.words.slice(0, 1)].join(' ');
  throw new Error([`${what}: ${reason === '' ? end : reason}`, ...lastWords].join('\n  '));
}
