/** Runs a program of this project as on a machine that has Node and little else. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a run ended, and both of its streams in one text. */
export interface EndedRun {
  readonly code: number | null;
  readonly output: string;
}

const limitMs = 100_000;

/**
 * Runs `dist/<script>` and waits for its end; after `limitMs` it is told to stop, and the output
 * says so. Its PATH is a folder with these `programs` (name and shell script) alone, so no other
 * Java, MySQL, Redis or Docker can be found, and its environment is what `env` holds.
 */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  programs: Readonly<Record<string, string>> = {},
): Promise<EndedRun> {
  const home = mkdtempSync(join(tmpdir(), 'roomcell-nothing-'));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const file = new URL(`../../dist/${script}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: home, HOME: home, ...env },
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
  rmSync(home, { recursive: true, force: true });
  return { code, output };
}
