/** Runs a compiled program of this project in a process of its own until it ends. */
import { spawn } from 'node:child_process';

/** How a run ended, and both of its streams in one text. */
export interface EndedRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs `dist/<script>`; after `limitMs` it is told to stop, and the output says so. */
export async function runToEnd(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<EndedRun> {
  const file = new URL(`../../dist/${script}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [file, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const timer = setTimeout(() => {
    output += `\nstill running after ${limitMs} ms`;
    child.kill('SIGTERM');
  }, limitMs);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, output };
}
